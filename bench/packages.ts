import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';

/** Packages that only the benchmarks need stand in a folder of their own, so their types are written down here. */
const packaged = createRequire(new URL('./package.json', import.meta.url));

export type SqlValue = string | number | bigint | null;

export interface Statement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  /** Gives the first column in place of an object. */
  pluck(): Statement;
}

export interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): Statement;
}

export interface LokiChain<Row> {
  find(query: object): LokiChain<Row>;
  where(test: (row: Row) => boolean): LokiChain<Row>;
  sort(compare: (one: Row, other: Row) => number): LokiChain<Row>;
  offset(count: number): LokiChain<Row>;
  limit(count: number): LokiChain<Row>;
  data(): Row[];
  count(): number;
}

export interface LokiCollection<Row> {
  insert(rows: Row[]): void;
  by(field: string, value: unknown): Row | undefined;
  find(query: object): Row[];
  chain(): LokiChain<Row>;
  count(): number;
}

interface LokiDatabase {
  addCollection<Row>(name: string, options: { indices?: string[]; unique?: string[] }): LokiCollection<Row>;
}

export interface MingoQuery {
  test(row: object): boolean;
}

export const openSqlite = (): Sqlite => new (packaged('better-sqlite3') as new (file: string) => Sqlite)(':memory:');
export const openLoki = (): LokiDatabase => new (packaged('lokijs') as new (name: string) => LokiDatabase)('bench');
export const mingoQuery = (condition: object): MingoQuery =>
  new (packaged('mingo') as { Query: new (condition: object) => MingoQuery }).Query(condition);
export const siftTest = (condition: object): ((row: unknown) => boolean) => sift()(condition);
export const pathInPackages = (path: string): string => packaged.resolve(path);

let loadedSift: ((condition: object) => (row: unknown) => boolean) | undefined;

function sift() {
  if (!loadedSift) {
    const module = packaged('sift');
    loadedSift = (module.default ?? module) as (condition: object) => (row: unknown) => boolean;
  }
  return loadedSift;
}

interface JsonServer {
  create(): RequestListener & { use(handler: unknown): void };
  defaults(options: { logger: boolean; readOnly: boolean }): unknown;
  router(file: string): unknown;
}

export const loadJsonServer = (): JsonServer => packaged('json-server') as JsonServer;

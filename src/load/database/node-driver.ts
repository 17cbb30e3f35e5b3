/** SQLite databases through Node's own `node:sqlite`. */

import { checkColumnNames } from './column-names.ts';
import type { DatabaseDriver, DatabaseValue } from './database-driver.ts';

interface Statement {
  setReadBigInts(enabled: boolean): void;
  /** Since Node 22.16. */
  setReturnArrays?(enabled: boolean): void;
  /** Since Node 22.16. */
  columns?(): { readonly name: string }[];
  iterate(...parameters: DatabaseValue[]): IterableIterator<DatabaseValue[] | Record<string, DatabaseValue>>;
}

interface Connection {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

/** The part of `node:sqlite` that is used. Node 20 and its types lack the module. */
export interface NodeSqlite {
  readonly DatabaseSync: new (path: string, options?: { readOnly?: boolean }) => Connection;
}

let loaded: NodeSqlite | null | undefined;

/** Returns `node:sqlite`, or null if this Node has none. Suppresses the warning that the module is experimental. */
export function nodeSqlite(): NodeSqlite | null {
  if (loaded !== undefined) return loaded;
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    const isExpected = (rest[0] as unknown) === 'ExperimentalWarning' && String(warning).startsWith('SQLite ');
    if (!isExpected) emitWarning.call(process, warning, ...rest);
  }) as typeof emitWarning;
  try {
    loaded = (process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined) ?? null;
  } finally {
    process.emitWarning = emitWarning;
  }
  return loaded;
}

export async function openWithNode(sqlite: NodeSqlite, path: string): Promise<DatabaseDriver> {
  const connection = new sqlite.DatabaseSync(path, { readOnly: true });
  return {
    *iterate(sql, parameters) {
      const statement = connection.prepare(sql);
      statement.setReadBigInts(true);
      statement.setReturnArrays?.(true);
      if (statement.columns) checkColumnNames(statement.columns().map(({ name }) => name));
      for (const row of statement.iterate(...parameters)) {
        const values = Array.isArray(row) ? row : Object.values(row);
        for (let i = 0; i < values.length; i++) values[i] = withoutSmallBigInt(values[i]);
        yield values;
      }
    },
    close: () => connection.close(),
  };
}

function withoutSmallBigInt(value: DatabaseValue): DatabaseValue {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

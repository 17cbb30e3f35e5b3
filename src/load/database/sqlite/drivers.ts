/**
 * The drivers of SQLite: Node's own `node:sqlite`, or SQLite as WebAssembly, which needs neither a compiler nor an
 * install script.
 */
import type { Statement as WasmStatement } from 'node-sqlite3-wasm';
import type { DatabaseValue } from '../database.ts';

/**
 * What a driver provides. Its errors are those of SQLite. SQLite as WebAssembly ends a text before the first NUL character,
 * which PostgreSQL does not store either.
 */
interface DatabaseDriver {
  iterate(sql: string, parameters: readonly DatabaseValue[]): Iterable<DatabaseValue[]>;
  close(): void;
}

/** Opens a file for reading. */
export type OpenDriver = (path: string) => Promise<DatabaseDriver>;

/** Throws if rows that are objects would lose a column or change the order of columns. */
function checkColumnNames(names: readonly string[]): void {
  const wrong = names.find((name, i) => names.indexOf(name) < i || /^\d+$/.test(name) || name === '__proto__');
  if (wrong !== undefined) throw new Error(`The statement needs another name for the column ${wrong}.`);
}

interface NodeStatement {
  setReadBigInts(enabled: boolean): void;
  /** Since Node 22.16. */
  setReturnArrays?(enabled: boolean): void;
  /** Since Node 22.16. */
  columns?(): { readonly name: string }[];
  iterate(...parameters: DatabaseValue[]): IterableIterator<DatabaseValue[] | Record<string, DatabaseValue>>;
}

interface Connection {
  prepare(sql: string): NodeStatement;
  exec(sql: string): void;
  close(): void;
}

/** The part of `node:sqlite` that is used. Node 20 and its types lack the module. */
interface NodeSqlite {
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

/** What the types of the package leave out. Its version is exact, so the method does not disappear. */
interface NamedColumns {
  _getColumnNames(): string[];
}

/** The driver locks with a folder beside the file, which other SQLite processes do not see: for private files only. */
export async function openWithWasm(path: string): Promise<DatabaseDriver> {
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const connection = new sqlite.Database(path, { readOnly: true });
  const statements = new Set<WasmStatement>();
  return {
    *iterate(sql, parameters) {
      const statement = connection.prepare(sql);
      statements.add(statement);
      try {
        checkColumnNames((statement as unknown as NamedColumns)._getColumnNames());
        for (const row of statement.iterate([...parameters])) yield Object.values(row) as DatabaseValue[];
      } finally {
        statements.delete(statement);
        if (!statement.isFinalized) finalize(statement);
      }
    },
    close() {
      for (const statement of statements) finalize(statement);
      connection.close();
    },
  };
}

/** Releases a statement. SQLite repeats the error of its last step, which has been thrown already. */
function finalize(statement: WasmStatement): void {
  try {
    statement.finalize();
  } catch {
    // thrown before
  }
}

/** Opens with Node's own SQLite if it has one, otherwise with SQLite as WebAssembly. Loads the driver at the first call. */
export const openDriver: OpenDriver = (path) => {
  const sqlite = nodeSqlite();
  return sqlite ? openWithNode(sqlite, path) : openWithWasm(path);
};

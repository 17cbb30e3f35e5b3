/** What a driver of SQLite provides. */

/**
 * A value of a row. Integers are numbers if they are safe, otherwise bigints. Text is a string. SQLite as
 * WebAssembly ends it before the first NUL character, which PostgreSQL does not store either.
 */
export type DatabaseValue = number | bigint | string | Uint8Array | null;

/** What a driver provides. Its errors are those of SQLite. */
export interface DatabaseDriver {
  iterate(sql: string, parameters: readonly DatabaseValue[]): Iterable<DatabaseValue[]>;
  close(): void;
}

/** Opens a file. With `writable`, SQLite may write to it, which it does only to roll back a journal beside it. */
export type OpenDriver = (path: string, writable?: boolean) => Promise<DatabaseDriver>;

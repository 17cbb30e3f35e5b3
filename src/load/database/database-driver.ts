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

/** Opens a file for reading. */
export type OpenDriver = (path: string) => Promise<DatabaseDriver>;

/** Edits the tables of a Strapi's database as Strapi does, so that tests need no Strapi. */
import sqlite from 'node-sqlite3-wasm';
import { type Database, type DatabaseValue, quote } from '../../../src/load/database/database.ts';
import { sqliteDialect } from '../../../src/load/database/sqlite/sqlite-dialect.ts';
import type { TypeTable } from '../../../src/load/database/table-mapping.ts';

export type Row = Record<string, DatabaseValue>;

/** A database that is open for writing. */
export class StrapiDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly #connection: InstanceType<typeof sqlite.Database>;
  readonly #columns = new Map<string, string[]>();
  /** The time of the next change, in milliseconds since 1970. */
  now = 1_790_000_000_000;

  /** With `isShared`, others may read the file. Otherwise writing is fast. */
  constructor(path: string, isShared = false) {
    this.#connection = new sqlite.Database(path, { fileMustExist: true });
    this.run('PRAGMA foreign_keys = ON');
    if (isShared) return;
    for (const setting of ['locking_mode = EXCLUSIVE', 'journal_mode = MEMORY', 'synchronous = OFF']) {
      this.run(`PRAGMA ${setting}`);
    }
  }

  *rows(sql: string, parameters: readonly DatabaseValue[] = []): IterableIterator<DatabaseValue[]> {
    const statement = this.#connection.prepare(sql);
    try {
      for (const row of statement.iterate([...parameters])) yield Object.values(row) as DatabaseValue[];
    } finally {
      statement.finalize();
    }
  }

  async *parts(sql: string, parameters: readonly DatabaseValue[] = []): AsyncGenerator<DatabaseValue[][]> {
    for (const row of this.rows(sql, parameters)) yield [row];
  }

  async all(sql: string, parameters: readonly DatabaseValue[] = []): Promise<DatabaseValue[][]> {
    return Array.from(this.rows(sql, parameters));
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  run(sql: string, parameters: readonly DatabaseValue[] = []): void {
    this.#connection.run(sql, [...parameters]);
  }

  /** The columns of a table, without its id. */
  columnsOf(table: string): string[] {
    let columns = this.#columns.get(table);
    if (!columns) {
      columns = Array.from(this.rows(`SELECT name FROM pragma_table_info('${table}')`), ([name]) => String(name));
      this.#columns.set(table, columns);
    }
    return columns.filter((name) => name !== 'id');
  }

  /** The rows of a table in the order of their ids. `where` is a condition with `?`. */
  select(table: string, where = 'true', parameters: readonly DatabaseValue[] = []): Row[] {
    const names = ['id', ...this.columnsOf(table)];
    const statement = `SELECT ${names.map(quote).join(', ')} FROM ${quote(table)} WHERE ${where} ORDER BY "id"`;
    return Array.from(this.rows(statement, parameters), (row) =>
      Object.fromEntries(names.map((name, i) => [name, row[i]])),
    );
  }

  /** Adds a row and returns its id. */
  insert(table: string, row: Row): number {
    const names = this.columnsOf(table).filter((name) => row[name] !== undefined);
    const places = names.map(() => '?').join(', ');
    const values = names.length > 0 ? `(${names.map(quote).join(', ')}) VALUES (${places})` : 'DEFAULT VALUES';
    this.run(
      `INSERT INTO ${quote(table)} ${values}`,
      names.map((name) => row[name]),
    );
    const [[id]] = this.rows('SELECT last_insert_rowid() AS "id"');
    return Number(id);
  }

  update(table: string, id: DatabaseValue, values: Row): void {
    const names = Object.keys(values);
    const sets = names.map((name) => `${quote(name)} = ?`).join(', ');
    this.run(`UPDATE ${quote(table)} SET ${sets} WHERE "id" = ?`, [...names.map((name) => values[name]), id]);
  }

  delete(table: string, id: DatabaseValue): void {
    this.run(`DELETE FROM ${quote(table)} WHERE "id" = ?`, [id]);
  }

  /** Says that a row of a content type was changed now. */
  touch({ table }: TypeTable, id: DatabaseValue): void {
    this.update(table, id, { updated_at: this.now });
  }
}

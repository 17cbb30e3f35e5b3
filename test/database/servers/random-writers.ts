/** Tables that transactions of every kind write to, and copies of them that are kept by the found changes alone. */
import { expect } from 'vitest';
import type { Database } from '../../../src/load/database/database.ts';
import type { RowChanges } from '../../../src/load/database/row-changes.ts';
import { seeded } from '../postgres/sql-edits.ts';

const names = ['one', 'two', 'three'];

export const writtenTables = names.map((name) => ({ name, kept: 'owner', columns: ['owner', 'value'] }));

type Run = (statement: string) => Promise<unknown>;

interface Connection {
  query(statement: string): Promise<unknown>;
  end(): Promise<unknown>;
}

/** Starts four writers. Returns what ends them, with the number of their transactions. */
export function startWriters(connect: () => Promise<Connection>): () => Promise<number> {
  let isEnded = false;
  const writers = [1, 2, 3, 4].map(async (seed) => {
    const connection = await connect();
    const transactions = await write(
      (statement) => connection.query(statement),
      seeded(seed),
      () => isEnded,
    );
    await connection.end();
    return transactions;
  });
  return async () => {
    isEnded = true;
    return (await Promise.all(writers)).reduce((sum, each) => sum + each, 0);
  };
}

/** Writes at random until it is told to stop. Returns the number of transactions. */
async function write(run: Run, random: () => number, isEnded: () => boolean): Promise<number> {
  const anyOf = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)];
  let transactions = 0;
  const change = async () => {
    const table = anyOf(names);
    const id = Math.ceil(random() * 400);
    const value = Math.floor(random() * 1e6);
    const last = `SELECT last FROM (SELECT max(id) AS last FROM ${table}) AS ids`;
    await run(
      anyOf([
        `INSERT INTO ${table} (owner, value) VALUES (${value % 7}, '${value}')`,
        `UPDATE ${table} SET value = '${value}' WHERE id = ${id}`,
        `UPDATE ${table} SET value = NULL WHERE id = ${id}`,
        `UPDATE ${table} SET owner = ${value % 7} WHERE id BETWEEN ${id} AND ${id + 3}`,
        `DELETE FROM ${table} WHERE id = ${id}`,
        `DELETE FROM ${table} WHERE id = (${last})`,
      ]),
    );
  };
  while (!isEnded()) {
    transactions++;
    await run('BEGIN');
    try {
      await change();
      // some transactions stay open over many looks
      if (random() < 0.15) await new Promise((resolve) => setTimeout(resolve, random() * 400));
      if (random() < 0.4) {
        await run('SAVEPOINT inner_part');
        await change();
        if (random() < 0.5) await run('ROLLBACK TO SAVEPOINT inner_part');
        await change();
      }
      await run(random() < 0.25 ? 'ROLLBACK' : 'COMMIT');
    } catch {
      // a deadlock between writers
      await run('ROLLBACK');
    }
  }
  return transactions;
}

/** What is known of the tables by the changes that were found. */
export class CopiedTables {
  readonly #copies = new Map<string, Map<number, string>>();
  /** Rows that were read because they may have changed. */
  read = 0;

  async readAll(database: Database): Promise<void> {
    for (const name of names) this.#copies.set(name, await rowsOf(database, name));
  }

  async apply(database: Database, changes: RowChanges): Promise<void> {
    for (const [name, { written, gone }] of changes) {
      const copy = this.#copies.get(name)!;
      for (const id of gone) copy.delete(id);
      this.read += written.length;
      if (written.length === 0) continue;
      for (const [id, row] of await rowsOf(database, name, ` WHERE id IN (${written.join(', ')})`)) copy.set(id, row);
    }
  }

  async expectSame(database: Database): Promise<void> {
    for (const name of names) expect(this.#copies.get(name)).toEqual(await rowsOf(database, name));
  }
}

async function rowsOf(database: Database, table: string, where = ''): Promise<Map<number, string>> {
  const rows = await database.all(`SELECT id, owner, value FROM ${table}${where}`);
  return new Map(rows.map(([id, owner, value]) => [Number(id), `${owner} ${value}`]));
}

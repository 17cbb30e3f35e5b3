import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { TablePages } from '../../../src/load/database/sqlite/table-pages.ts';
import { StrapiDatabase } from '../../source/project/strapi-database.ts';
import { temporaryFolder } from '../../support/folders.ts';

describe.each([512, 4096, 65_536])('in pages of %i bytes', (pageSize) => {
  let path: string;
  let database: StrapiDatabase;

  beforeEach(() => {
    path = join(temporaryFolder(), 'data.db');
    writeFileSync(path, '');
    database = new StrapiDatabase(path, true);
    database.run(`PRAGMA page_size = ${pageSize}`);
    database.run('BEGIN');
    database.run('CREATE TABLE links (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, position REAL, field TEXT)');
    database.run('CREATE TABLE other (id INTEGER PRIMARY KEY, text TEXT)');
    database.run('CREATE TABLE empty (id INTEGER PRIMARY KEY)');
    database.run('CREATE TABLE pairs (a INTEGER PRIMARY KEY, b INTEGER) WITHOUT ROWID');
    // with the rows of another table in between, the pages of a table are not side by side
    for (let id = 1; id <= 3000; id++) {
      database.run('INSERT INTO links VALUES (?, ?, ?, ?, ?)', [id, id % 70, id % 90, id / 2, `field${id % 5}`]);
      if (id % 10 === 0) database.run('INSERT INTO other VALUES (?, ?)', [id, 'text '.repeat(20)]);
    }
    database.run('COMMIT');
    return () => database.close();
  });

  async function digestOf(table: string): Promise<string | null> {
    const pages = await TablePages.open(path, database);
    try {
      return pages.digest(table);
    } finally {
      pages.close();
    }
  }

  test('a table has another digest after each change of a row', async () => {
    const digests = new Set([await digestOf('links')]);
    const changes: string[] = [];
    for (const id of [1, 2, 700, 1500, 2999, 3000]) {
      changes.push(`UPDATE links SET a = a + 1000 WHERE id = ${id}`, `UPDATE links SET position = -1 WHERE id = ${id}`);
      changes.push(`UPDATE links SET field = 'fjeld' WHERE id = ${id}`, `DELETE FROM links WHERE id = ${id}`);
      changes.push(`INSERT INTO links VALUES (${id}, 1, 2, NULL, '')`);
    }
    changes.push('DELETE FROM links WHERE id > 1000', 'DELETE FROM links');
    for (const change of changes) {
      database.run(change);
      digests.add(await digestOf('links'));
    }
    expect(digests.size).toBe(changes.length + 1);
  });

  test('a table with long rows has another digest after a change at the end of one', async () => {
    const length = 3 * pageSize;
    database.run('CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT, number INTEGER)');
    for (const size of [length, pageSize - 36, pageSize - 35, pageSize - 34, 2 * pageSize, 10]) {
      database.run('INSERT INTO texts (text, number) VALUES (?, 1)', ['x'.repeat(size)]);
    }
    const digest = async () => {
      const pages = await TablePages.open(path, database);
      const found = pages.digest('texts', true);
      pages.close();
      return found;
    };
    const digests = new Set([await digest()]);
    expect(await digest()).toBe([...digests][0]);
    for (let id = 1; id <= 6; id++) {
      database.run('UPDATE texts SET number = 0 WHERE id = ?', [id]);
      digests.add(await digest());
      database.run("UPDATE texts SET text = substr(text, 1, length(text) - 1) || 'y' WHERE id = ?", [id]);
      digests.add(await digest());
    }
    expect(digests.size).toBe(13);
  });

  test('a table has the same digest after a change of another one', async () => {
    const [links, empty] = [await digestOf('links'), await digestOf('empty')];
    database.run("UPDATE other SET text = 'short'");
    database.run('DELETE FROM pairs');
    expect([await digestOf('links'), await digestOf('empty')]).toEqual([links, empty]);
    expect(empty).not.toBe(links);
  });

  test('a table without such pages has none, and one that is missing', async () => {
    expect([await digestOf('pairs'), await digestOf('nothing')]).toEqual([null, null]);
  });
});

/** Copies of a database that is written to at every point of the copying. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { copyFile, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commitMark } from '../../../src/load/database/sqlite/commit-mark.ts';
import { copyDatabase } from '../../../src/load/database/sqlite/copy-database.ts';
import { temporaryFolder } from '../../support/folders.ts';
import {
  beginLargeTransaction,
  commitCounters,
  copyFiles,
  counterIn,
  createCounters,
  setCounters,
} from './counters.ts';

/** Bytes of a page in a write-ahead log. */
const frameBytes = 24 + 4096;

let path: string;
let folder: string;
let database: Database;

function create(journalMode?: Parameters<typeof createCounters>[1]): void {
  const parent = temporaryFolder();
  path = join(parent, 'data.db');
  folder = join(parent, 'copies');
  database = createCounters(path, journalMode);
  commitCounters(database, 1);
}

afterEach(() => {
  if (database.isOpen) database.close();
});

/**
 * Copies in two halves and calls `between` after the first half of each attempt, with the number of the attempt, and
 * `after` after the second.
 */
function copyInHalves(between: (attempt: number) => void, after: (attempt: number) => void = () => {}) {
  let attempt = 0;
  return async (from: string, to: string) => {
    attempt++;
    const before = await readFile(from);
    const half = Math.floor(before.length / 8192) * 4096;
    between(attempt);
    const later = await readFile(from);
    const target = await open(to, 'w', 0o600);
    await target.write(before.subarray(0, half));
    await target.write(later.subarray(half));
    await target.close();
    after(attempt);
  };
}

function isHot(): boolean {
  return readFileSync(`${path}-journal`)[0] === 0xd9;
}

describe('a copy', () => {
  beforeEach(() => create());

  test('is private, has the state of the database and replaces the copy before', async () => {
    const first = await copyDatabase(path, folder);
    expect(await counterIn(first.path)).toBe(1);
    expect(first.state).toBe(await commitMark(path));
    commitCounters(database, 2);
    const second = await copyDatabase(path, folder);
    expect(await counterIn(second.path)).toBe(2);
    expect(second.state).toBe(await commitMark(path));
    expect(second.state).not.toBe(first.state);
    expect(readdirSync(folder)).toEqual([second.path.slice(folder.length + 1)]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(second.path).mode & 0o777).toBe(0o600);
  });

  test('removes what a killed process left in the folder, and nothing else', async () => {
    mkdirSync(join(folder, 'copy-1.db.lock'), { recursive: true });
    writeFileSync(join(folder, 'copy-1.db'), 'old');
    writeFileSync(join(folder, 'else'), 'kept');
    const copy = await copyDatabase(path, folder);
    expect(readdirSync(folder).sort()).toEqual([copy.path.slice(folder.length + 1), 'else']);
  });

  test('follows a symbolic link to the database and its journal', async () => {
    const link = join(temporaryFolder(), 'link.db');
    symlinkSync(path, link);
    beginLargeTransaction(database);
    expect(isHot()).toBe(true);
    expect(await counterIn((await copyDatabase(link, folder)).path)).toBe(1);
  });
});

describe.each(['delete', 'truncate', 'persist'] as const)('with the journal mode %s', (journalMode) => {
  beforeEach(() => create(journalMode));

  test('a copy is made again after a commit in the middle', async () => {
    const attempts: number[] = [];
    const between = (attempt: number) => {
      attempts.push(attempt);
      if (attempt < 3) commitCounters(database, attempt + 1);
    };
    const copy = await copyDatabase(path, folder, { copyFile: copyInHalves(between) });
    expect(attempts).toEqual([1, 2, 3]);
    expect(await counterIn(copy.path)).toBe(3);
    expect(copy.state).toBe(await commitMark(path));
  });

  test('an open transaction that has not written to the file leaves the copy as it is', async () => {
    const copy = await copyDatabase(path, folder, {
      copyFile: copyInHalves((attempt) => {
        expect(attempt).toBe(1);
        database.exec('BEGIN');
        setCounters(database, 2);
        expect(existsSync(`${path}-journal`)).toBe(true);
      }),
    });
    expect(await counterIn(copy.path)).toBe(1);
    database.exec('COMMIT');
    expect(copy.state).not.toBe(await commitMark(path));
  });

  test('a transaction that writes to the file all the while is rolled back in the copy', async () => {
    const committed = readFileSync(path);
    beginLargeTransaction(database);
    expect(isHot()).toBe(true);
    expect(readFileSync(path).equals(committed)).toBe(false);
    const between = () =>
      database.exec("UPDATE first SET text = text || 'more'; INSERT INTO last SELECT NULL, 0, text FROM last");
    const copy = await copyDatabase(path, folder, { copyFile: copyInHalves(between) });
    expect(await counterIn(copy.path)).toBe(1);
    expect(readFileSync(copy.path).equals(committed)).toBe(true);
    expect(readdirSync(folder).length).toBe(1);
    database.exec('COMMIT');
    expect(copy.state).not.toBe(await commitMark(path));
  });

  test.each(['COMMIT', 'ROLLBACK'])('a copy is made again if a transaction ends in the middle by %s', async (end) => {
    beginLargeTransaction(database);
    const between = (attempt: number) => {
      if (attempt === 1) database.exec(end);
    };
    const copy = await copyDatabase(path, folder, { copyFile: copyInHalves(between) });
    expect(await counterIn(copy.path)).toBe(end === 'COMMIT' ? -1 : 1);
  });

  test.each(['COMMIT', 'ROLLBACK'])(
    'a copy is made again if a transaction takes the place of another by %s',
    async (end) => {
      beginLargeTransaction(database);
      const between = (attempt: number) => {
        if (attempt > 1) return;
        database.exec(end);
        commitCounters(database, 2);
        database.exec("BEGIN; UPDATE last SET text = text || 'more'");
        expect(isHot()).toBe(true);
      };
      const copy = await copyDatabase(path, folder, { copyFile: copyInHalves(between) });
      expect(await counterIn(copy.path)).toBe(2);
    },
  );

  test('a copy is made again if a transaction begins in the middle and writes to the file', async () => {
    const between = (attempt: number) => {
      if (attempt === 1) beginLargeTransaction(database);
    };
    const copy = await copyDatabase(path, folder, { copyFile: copyInHalves(between) });
    expect(await counterIn(copy.path)).toBe(1);
  });

  test('the journal of a crash is rolled back in the copy and kept beside the database', async () => {
    beginLargeTransaction(database);
    const crashed = join(temporaryFolder(), 'crashed.db');
    await copyFiles(path, crashed);
    const copy = await copyDatabase(crashed, folder);
    expect(await counterIn(copy.path)).toBe(1);
    expect(readFileSync(`${crashed}-journal`).subarray(0, 8).toString('hex')).toBe('d9d505f920a163d7');
    expect(copy.state).toBe(await commitMark(crashed));
  });

  test('what follows a damaged page in a journal is of an earlier transaction, and stays out of the copy', async () => {
    beginLargeTransaction(database);
    const crashed = join(temporaryFolder(), 'crashed.db');
    await copyFiles(path, crashed);
    const journal = readFileSync(`${crashed}-journal`);
    const [count, sectorSize, pageSize] = [8, 20, 24].map((offset) => journal.readUInt32BE(offset));
    const recordBytes = pageSize + 8;
    const damaged = sectorSize + (count - 1) * recordBytes;
    journal[damaged + recordBytes - 1] ^= 1;
    const end = Math.ceil((damaged + recordBytes) / sectorSize) * sectorSize;
    const earlier = Buffer.alloc(sectorSize + recordBytes);
    journal.copy(earlier, 0, 0, sectorSize);
    earlier.writeUInt32BE(1, 8);
    // page 2, whose checksum is the nonce and every 200th byte from the end
    earlier.writeUInt32BE(2, sectorSize);
    earlier.fill(1, sectorSize + 4, sectorSize + 4 + pageSize);
    const checksum = (earlier.readUInt32BE(12) + Math.floor((pageSize - 1) / 200)) >>> 0;
    earlier.writeUInt32BE(checksum, sectorSize + 4 + pageSize);
    writeFileSync(`${crashed}-journal`, Buffer.concat([journal.subarray(0, end), earlier]));
    const { path: copy } = await copyDatabase(crashed, folder);
    expect(readFileSync(copy).subarray(pageSize, 2 * pageSize)).not.toEqual(Buffer.alloc(pageSize, 1));
  });
});

describe('with a write-ahead log', () => {
  beforeEach(() => create('wal'));

  test('a copy has the last commit in the log, and no uncommitted page', async () => {
    commitCounters(database, 2);
    expect(await counterIn((await copyDatabase(path, folder)).path)).toBe(2);
    beginLargeTransaction(database);
    const copy = await copyDatabase(path, folder);
    expect(await counterIn(copy.path)).toBe(2);
    expect(readdirSync(folder).length).toBe(1);
  });

  test('commits and checkpoints in the middle leave the copy consistent', async () => {
    const between = (attempt: number) => {
      expect(attempt).toBe(1);
      commitCounters(database, 2);
      database.all('PRAGMA wal_checkpoint(PASSIVE)');
    };
    const copy = await copyDatabase(path, folder, { copyFile: copyInHalves(between) });
    expect(await counterIn(copy.path)).toBe(2);
    commitCounters(database, 3);
    expect(await commitMark(path)).not.toBe(copy.state);
  });

  test('a copy is made again if SQLite starts the log anew', async () => {
    const restart = (attempt: number) => {
      if (attempt > 2) return;
      commitCounters(database, 2 * attempt);
      database.all('PRAGMA wal_checkpoint(RESTART)');
      commitCounters(database, 2 * attempt + 1);
    };
    const between = await copyDatabase(path, folder, { copyFile: copyInHalves(restart) });
    expect(await counterIn(between.path)).toBe(5);
    const after = await copyDatabase(path, folder, { copyFile: copyInHalves(() => {}, restart) });
    expect(await counterIn(after.path)).toBe(5);
  });

  test('a copy is made again if the log begins or ends in the middle', async () => {
    commitCounters(database, 2);
    const end = (attempt: number) => {
      if (attempt === 1) database.close();
    };
    const ended = await copyDatabase(path, folder, { copyFile: copyInHalves(end) });
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(await counterIn(ended.path)).toBe(2);
    const begin = (attempt: number) => {
      if (attempt > 1) return;
      database = new (database.constructor as new (path: string) => Database)(path);
      database.exec('PRAGMA locking_mode = exclusive');
      commitCounters(database, 3);
      database.all('PRAGMA wal_checkpoint(PASSIVE)');
    };
    const begun = await copyDatabase(path, folder, { copyFile: copyInHalves(begin) });
    expect(await counterIn(begun.path)).toBe(3);
  });

  test('a copy is as large as the database after the last commit', async () => {
    database.exec('CREATE TABLE more AS SELECT * FROM first');
    database.all('PRAGMA wal_checkpoint(PASSIVE)');
    const before = statSync(path).size;
    database.exec('DROP TABLE more');
    database.exec('VACUUM');
    const copy = await copyDatabase(path, folder);
    expect(await counterIn(copy.path)).toBe(1);
    expect(statSync(copy.path).size).toBeLessThan(before);
    expect(statSync(copy.path).size).toBe(4096 * (database.get('PRAGMA page_count')!.page_count as number));
  });

  test('a copy of what a crash left has the commits before the first damaged frame', async () => {
    commitCounters(database, 2);
    const crashed = join(temporaryFolder(), 'crashed.db');
    await copyFiles(path, crashed);
    const whole = readFileSync(`${crashed}-wal`);
    commitCounters(database, 3);
    await copyFiles(path, crashed);
    const log = readFileSync(`${crashed}-wal`);
    for (const at of [whole.length + 10, whole.length + 30, whole.length + frameBytes + 20]) {
      const damaged = Buffer.from(log);
      damaged[at] ^= 1;
      writeFileSync(`${crashed}-wal`, damaged);
      expect(await counterIn((await copyDatabase(crashed, folder)).path)).toBe(2);
    }
    writeFileSync(`${crashed}-wal`, log.subarray(0, whole.length + 3 * frameBytes - 1));
    expect(await counterIn((await copyDatabase(crashed, folder)).path)).toBe(2);
    writeFileSync(`${crashed}-wal`, log);
    expect(await counterIn((await copyDatabase(crashed, folder)).path)).toBe(3);
  });
});

describe('a file beside the database with sizes that SQLite does not write', () => {
  const header = (words: readonly number[]) => {
    const bytes = Buffer.alloc(4 * words.length);
    for (const [i, word] of words.entries()) bytes.writeUInt32BE(word >>> 0, 4 * i);
    return bytes;
  };

  test.each([2 ** 31, 2 ** 17, 8192, 1000, 256, 0])('is no log: pages of %i bytes', async (pageSize) => {
    create('wal');
    commitCounters(database, 2);
    const claimed = readFileSync(`${path}-wal`).subarray(0, 24);
    claimed.writeUInt32BE(pageSize, 8);
    let [a, b] = [0, 0];
    const isLittleEndian = (claimed[3] & 1) === 0;
    for (let at = 0; at < 24; at += 8) {
      const word = (offset: number) => (isLittleEndian ? claimed.readUInt32LE(offset) : claimed.readUInt32BE(offset));
      a = (a + word(at) + b) | 0;
      b = (b + word(at + 4) + a) | 0;
    }
    database.close();
    const damaged = join(temporaryFolder(), 'data.db');
    await copyFile(path, damaged);
    const file = await open(damaged, 'r+');
    await file.write(Buffer.of(2, 2), 0, 2, 18);
    await file.close();
    const without = await commitMark(damaged);
    writeFileSync(`${damaged}-wal`, Buffer.concat([claimed, header([a, b])]));
    expect(await commitMark(damaged)).toBe(without);
    expect(await counterIn((await copyDatabase(damaged, folder)).path)).toBe(2);
  });

  test.each([
    [2 ** 31, 512],
    [2 ** 17, 512],
    [1000, 512],
    [256, 512],
    [0, 512],
    [4096, 2 ** 31],
    [4096, 16],
    [4096, 0],
    [4096, 48],
  ])('is no rollback journal: pages of %i bytes, sectors of %i', async (pageSize, sectorSize) => {
    create();
    const without = await commitMark(path);
    writeFileSync(`${path}-journal`, header([0xd9d505f9, 0x20a163d7, 1, 7, 1, sectorSize, pageSize]));
    expect(await commitMark(path)).toBe(without);
    expect(await counterIn((await copyDatabase(path, folder)).path)).toBe(1);
  });

  test('a journal of smaller pages than the database has is rolled back, as VACUUM may change the size', async () => {
    create();
    const committed = readFileSync(path);
    const vacuumed = join(temporaryFolder(), 'vacuumed.db');
    // puts page 1 into the journal, and then more pages than the cache holds
    database.exec('PRAGMA cache_size = 10');
    database.exec('BEGIN');
    database.exec('PRAGMA user_version = 1');
    database.exec('UPDATE first SET counter = -1, text = text || 1');
    await copyFiles(path, vacuumed);
    const file = await open(vacuumed, 'r+');
    const pageSize = Buffer.alloc(2);
    pageSize.writeUInt16BE(8192);
    await file.write(pageSize, 0, 2, 16);
    await file.close();
    const copy = await copyDatabase(vacuumed, folder);
    expect(await counterIn(copy.path)).toBe(1);
    expect(readFileSync(copy.path).equals(committed)).toBe(true);
  });
});

describe('a SnapshotError', () => {
  beforeEach(() => create());

  test('says that a database is written to all the time', async () => {
    let counter = 2;
    const between = () => commitCounters(database, counter++);
    const copying = copyDatabase(path, folder, { copyFile: copyInHalves(between), patience: 50, lock: false });
    await expect(copying).rejects.toThrow(
      /data\.db: written to all the time; none of \d+ copies in a row is consistent/,
    );
    // the next call goes on with it
    expect(readdirSync(folder).length).toBe(1);
    expect(await counterIn((await copyDatabase(path, folder)).path)).toBe(counter - 1);
    expect(readdirSync(folder).length).toBe(1);
  });

  test.each([
    ['missing.db', null, 'no such file'],
    ['data.db/inside', null, 'no such file'],
    ['empty.db', '', 'the file is empty; Strapi creates its tables when it starts'],
    ['short.db', 'SQLite', 'not a SQLite 3 database, or an encrypted one'],
    ['encrypted.db', '\u0001'.repeat(8192), 'not a SQLite 3 database, or an encrypted one'],
  ])('names the problem of %s', async (name, content, message) => {
    const file = join(path, '..', name);
    if (content !== null) writeFileSync(file, content);
    await expect(copyDatabase(file, folder)).rejects.toThrow(`${file}: ${message}`);
    await expect(commitMark(file)).rejects.toThrow(`${file}: ${message}`);
  });

  test('names a folder in place of a file', async () => {
    await expect(copyDatabase(folder, folder)).rejects.toThrow(`${folder}: a folder; name the database file in it`);
  });

  test.each([
    ['EACCES', () => `${path}: this process may not read or write it`],
    ['ENOSPC', () => `${folder}: no space is left for a copy of the database ${path}`],
    ['EIO', () => `${path}: EIO: broken on purpose`],
  ])('names the place of %s, and leaves no copy', async (code, message) => {
    const copyFile = async (from: string, to: string) => {
      writeFileSync(to, 'half');
      throw Object.assign(new Error(`${code}: broken on purpose`), { code, path: from });
    };
    await expect(copyDatabase(path, folder, { copyFile })).rejects.toThrow(message());
    expect(readdirSync(folder)).toEqual([]);
  });
});

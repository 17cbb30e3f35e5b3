import { EventEmitter } from 'node:events';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Database } from 'node-sqlite3-wasm';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { SqliteWatch } from '../../../src/follow/database/sqlite/sqlite-watch.ts';
import { commitMark } from '../../../src/load/database/sqlite/commit-mark.ts';
import { commitCounters, createCounters } from '../../load/database/counters.ts';
import { temporaryFolder } from '../../support/folders.ts';

/** In milliseconds. The file system of the tests has times in nanoseconds. */
const settling = 300;

let isSilent = false;
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  // a system that tells of no write
  const silent = () => Object.assign(new EventEmitter(), { close() {} });
  const watch = ((...given: Parameters<typeof fs.watch>) =>
    isSilent ? silent() : fs.watch(...given)) as typeof fs.watch;
  return { ...fs, watch };
});

describe.each(['delete', 'wal'] as const)('with the journal mode %s', (journalMode) => {
  let path: string;
  let database: Database;
  let writes: number;
  let watched: SqliteWatch;

  beforeEach(() => {
    path = join(temporaryFolder(), 'data.db');
    database = createCounters(path, journalMode);
    writes = 0;
    watched = new SqliteWatch(path, () => writes++, settling);
    return async () => {
      await watched.close();
      database.close();
      isSilent = false;
    };
  });

  /** Waits until the files have been the same for so long that they are not read any more. */
  async function settle(): Promise<void> {
    const end = performance.now() + settling + 700;
    while (performance.now() < end) {
      await watched.mark();
      await setTimeout(50);
    }
  }

  test('each commit is noticed, at once and after a pause', async () => {
    for (let counter = 1; counter <= 20; counter++) {
      commitCounters(database, counter);
      expect(await watched.mark()).toBe(await commitMark(path));
    }
    await settle();
    const before = await watched.mark();
    expect(watched.untilLook).toBe(1000);
    writes = 0;
    commitCounters(database, 21);
    await vi.waitFor(() => expect(writes).toBeGreaterThan(0));
    expect(watched.untilLook).toBeLessThan(1000);
    const after = await watched.mark();
    expect([after === before, after]).toEqual([false, await commitMark(path)]);
  });

  test('commits are noticed where the system tells of none, and looked for more often then', async () => {
    isSilent = true;
    await settle();
    const before = await watched.mark();
    expect(watched.untilLook).toBe(1000);
    commitCounters(database, 1);
    expect(await watched.mark()).not.toBe(before);
    await vi.waitFor(() => expect(watched.untilLook).toBe(100));
    expect(writes).toBe(0);
  });

  test('another database behind a link is watched from the next look on', async () => {
    const [link, otherPath] = [join(temporaryFolder(), 'link.db'), join(temporaryFolder(), 'data.db')];
    symlinkSync(path, link);
    const other = createCounters(otherPath, journalMode);
    const behindLink = new SqliteWatch(link, () => writes++, settling);
    await behindLink.mark();
    symlinkSync(otherPath, `${link}.next`);
    renameSync(`${link}.next`, link);
    expect(await behindLink.mark()).toBe(await commitMark(otherPath));
    commitCounters(other, 1);
    await vi.waitFor(() => expect(writes).toBeGreaterThan(0));
    expect(await behindLink.mark()).toBe(await commitMark(otherPath));
    other.close();
    rmSync(otherPath);
    await expect(behindLink.mark()).rejects.toThrow('no such file');
    await behindLink.close();
  });
});

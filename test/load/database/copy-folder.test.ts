import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { makeCopyFolder } from '../../../src/load/database/copy-folder.ts';
import { temporaryFolder } from '../../support/folders.ts';

/** The process id of a process that has ended. */
function endedProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

function leave(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'copy-1.db'), 'old');
  return folder;
}

test('makes a private folder each time', async () => {
  const parent = temporaryFolder();
  const folders = [await makeCopyFolder('database', parent), await makeCopyFolder('database', parent)];
  expect(readdirSync(parent).sort()).toEqual(folders.map((folder) => basename(folder)).sort());
  for (const folder of folders) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('removes the folders of processes that have ended', async () => {
  const parent = temporaryFolder();
  const stale = leave(parent, `lectern-database-${hostname()}-${endedProcess()}-abcdef`);
  const earlier = leave(parent, `lectern-database-${hostname()}-${process.pid}-abcdef`);
  utimesSync(earlier, 1, 1);
  await makeCopyFolder('database', parent);
  expect([existsSync(stale), existsSync(earlier)]).toEqual([false, false]);
});

test('a thread removes folders from before its process, and keeps those of other threads', async () => {
  const parent = temporaryFolder();
  const ofThisThread = await makeCopyFolder('database', parent);
  const earlier = leave(parent, `lectern-database-${hostname()}-${process.pid}-abcdef`);
  utimesSync(earlier, 1, 1);
  const module = new URL('../../../dist/load/database/copy-folder.js', import.meta.url).href;
  const code = `import(${JSON.stringify(module)}).then(({ makeCopyFolder }) => makeCopyFolder('database', ${JSON.stringify(parent)}))`;
  const worker = new Worker(code, { eval: true });
  expect(await once(worker, 'exit')).toEqual([0]);
  expect([existsSync(earlier), existsSync(ofThisThread)]).toEqual([false, true]);
});

test('keeps the folders of running processes, of other hosts and of other programs', async () => {
  const parent = temporaryFolder();
  const kept = [
    leave(parent, `lectern-database-${hostname()}-${process.ppid}-abcdef`),
    leave(parent, `lectern-database-other-${hostname()}-${endedProcess()}-abcdef`),
    leave(parent, `lectern-database-${hostname()}-abcdef`),
    leave(parent, `else-${endedProcess()}-abcdef`),
  ];
  await makeCopyFolder('database', parent);
  expect(kept.map((folder) => existsSync(folder))).toEqual([true, true, true, true]);
});

/** Copies while another process commits transactions, with each SQLite that this machine has. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { commitMark } from '../../../src/load/database/sqlite/commit-mark.ts';
import { copyDatabase } from '../../../src/load/database/sqlite/copy-database.ts';
import { nodeSqlite } from '../../../src/load/database/sqlite/drivers.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { counterIn, createCounters } from './counters.ts';

const folder = temporaryFolder();
const wasm = JSON.stringify(createRequire(import.meta.url).resolve('node-sqlite3-wasm'));

/** Each writer commits until the file "stop" appears, fails at a lock, and prints the number of its commits. */
const loop = (open: string, run: string) => `
const { existsSync } = require('node:fs');
const [path, mode, stop] = process.argv.slice(2);
${open}
let counter = 0;
const commit = () => {
  if (existsSync(stop)) return console.log(counter);
  counter++;
  ${run}
  setTimeout(commit, 2);
};
commit();
`;
const transaction = [
  'BEGIN IMMEDIATE',
  'UPDATE first SET counter = counter + 1 WHERE id < 50',
  'UPDATE last SET counter = counter + 1 WHERE id > 350',
  'COMMIT',
];
const inJavaScript = transaction.map((sql) => `database.exec(${JSON.stringify(sql)});`).join('\n  ');
const programs = {
  'wasm.cjs': loop(`const database = new (require(${wasm}).Database)(path);`, inJavaScript),
  'node.cjs': loop(
    `const database = new (require('node:sqlite').DatabaseSync)(path);
database.exec('PRAGMA journal_mode = ' + mode);`,
    inJavaScript,
  ),
  'python.py': `
import os, sqlite3, sys, time
path, mode, stop = sys.argv[1:]
database = sqlite3.connect(path, timeout=0, isolation_level=None)
database.execute('PRAGMA journal_mode = ' + mode)
counter = 0
while not os.path.exists(stop):
    for sql in ${JSON.stringify(transaction)}:
        database.execute(sql)
    counter += 1
    time.sleep(0.002)
print(counter)
`,
};
for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text);

const writers: [program: keyof typeof programs, journalMode: 'delete' | 'wal', command: string][] = [
  ['wasm.cjs', 'delete', process.execPath],
];
if (nodeSqlite()) for (const mode of ['delete', 'wal'] as const) writers.push(['node.cjs', mode, process.execPath]);
if (spawnSync('python3', ['-c', 'import sqlite3']).status === 0) {
  for (const mode of ['delete', 'wal'] as const) writers.push(['python.py', mode, 'python3']);
}

let running: ChildProcess | undefined;
afterEach(() => {
  running?.kill();
});

test.each(writers)('%s in the journal mode %s neither fails nor changes a copy', async (program, mode, command) => {
  const path = join(folder, `${program}-${mode}.db`);
  const stop = `${path}.stop`;
  createCounters(path).close();
  const before = await commitMark(path);
  running = spawn(command, [join(folder, program), path, mode, stop], { stdio: ['ignore', 'pipe', 'pipe'] });
  const writer = running;
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) writer[name]?.on('data', (data) => (output[name] += data));
  const ended = once(writer, 'close');
  while ((await commitMark(path)) === before) await setTimeout(5);
  const counters: number[] = [];
  for (let i = 0; i < 20; i++) {
    const copy = await copyDatabase(path, join(folder, `${program}-${mode}`), { lock: false, patience: 60_000 });
    counters.push(await counterIn(copy.path));
  }
  writeFileSync(stop, '');
  await ended;
  expect(output.stderr.replaceAll(/.*ExperimentalWarning.*\n|\(Use `node --trace.*\n/g, '')).toBe('');
  expect(counters).toEqual(counters.toSorted((a, b) => a - b));
  expect(counters.at(-1)).toBeGreaterThan(counters[0]);
  const last = await copyDatabase(path, join(folder, `${program}-${mode}`));
  expect(await counterIn(last.path)).toBe(Number(output.stdout));
  expect(existsSync(`${path}-journal`)).toBe(false);
});

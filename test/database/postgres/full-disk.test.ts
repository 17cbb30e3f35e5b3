/** The disk of the server is full: the content stays, and follows again when there is room. */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.ts';
import { askServer } from '../../support/http.ts';
import { until } from '../../support/server.ts';
import { endProcessesAfterEach, startProcess } from '../../support/threads.ts';
import { PostgresServer } from './postgres-server.ts';
import { projectAt, restore } from './recorded.ts';

endProcessesAfterEach();

const disk = temporaryFolder('lectern-disk-');
const filler = join(disk, 'filler');
let server: PostgresServer;

beforeAll(async () => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=192m', 'tmpfs', disk]);
  chmodSync(disk, 0o777);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = disk;
  try {
    server = await PostgresServer.start('min_wal_size=32MB', 'max_wal_size=32MB');
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  restore('museum', server);
  await server.query('CREATE TABLE ballast (text text)');
});

afterAll(async () => {
  await server?.stop('SIGQUIT');
  execFileSync('umount', ['--lazy', disk]);
});

function fillDisk(): void {
  const file = openSync(filler, 'w');
  const block = Buffer.alloc(2 ** 16);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(file);
  }
}

/** Repeats a statement until the server refuses it, or ends. */
async function repeat(statement: string): Promise<void> {
  for (;;) {
    try {
      await server.query(statement);
    } catch {
      return;
    }
  }
}

test('a full disk of the server fails no read, and following goes on when there is room', async () => {
  const { port } = await startProcess(projectAt('museum', server.urlOf()), [], { public: true });
  let failures = 0;
  let isOver = false;
  const reading = (async () => {
    for (; !isOver; await sleep(20)) if ((await askServer(port, '/api/tags')).status !== 200) failures++;
  })();
  /** Changes a label, and returns the milliseconds until it is shown. */
  const write = async (label: string) => {
    const row = 'SELECT min(id) FROM tags WHERE published_at IS NOT NULL';
    await server.query(`UPDATE tags SET label = '${label}' WHERE id = (${row})`);
    const written = performance.now();
    await until(async () => (await askServer(port, `/api/tags?filters[label]=${label}`)).body.includes(`"${label}"`));
    return performance.now() - written;
  };
  await write('before');

  fillDisk();
  await repeat(`INSERT INTO ballast SELECT repeat(md5(n::text), 30) FROM generate_series(1, 5000) AS n`);
  expect(server.log).toMatch(/ERROR: .* No space left on device/);
  await sleep(1000);
  rmSync(filler);
  expect(await write('with-room')).toBeLessThan(1000);

  // without room for its log, the server ends all sessions, and at last itself
  fillDisk();
  await repeat(`SELECT pg_logical_emit_message(true, 'ballast', repeat('x', 1000000))`);
  await until(() => /PANIC: .* No space left on device/.test(server.log));
  await sleep(3000);
  rmSync(filler);
  await server.stop('SIGQUIT');
  await server.start();
  expect(await write('started')).toBeLessThan(10_000);
  expect(await write('later')).toBeLessThan(1000);
  isOver = true;
  await reading;
  expect(failures).toBe(0);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { closeSync, openSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createLog } from '../../src/server/log/log.ts';
import { LogWriter } from '../../src/server/log/log-writer.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folders.ts';
import { guideFolder } from '../support/guide.ts';
import { samples } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

/** A log on a full disk or a closed pipe loses lines and has no other effect. */

const folder = temporaryFolder();
const file = join(folder, 'log');
const opened: number[] = [];
const originalWrite = fs.write;

function opening(path: string): number {
  const fd = openSync(path, 'w');
  opened.push(fd);
  return fd;
}

afterEach(() => {
  fs.write = originalWrite;
  syncBuiltinESMExports();
});
afterAll(() => {
  // closed late, because a pending write would go to the next file with the same descriptor
  for (const fd of opened) closeSync(fd);
});

describe('a log on a full disk', () => {
  test.each([false, true])('loses lines and counts them (isSync: %s)', async (isSync) => {
    const writer = new LogWriter(opening('/dev/full'), { isSync });
    for (let i = 0; i < 100; i++) writer.write(`${i}\n`);
    await waitFor(() => expect(writer.lostLines).toBe(100));
    writer.write('one\ntwo\n');
    writer.flushSync();
    await waitFor(() => expect(writer.lostLines).toBeGreaterThan(100));
  });

  test('does not delay the last message of the process', () => {
    const writer = new LogWriter(opening('/dev/full'));
    const log = createLog({ level: 'info', format: 'json' }, writer);
    log.fatal('the server ends');
    log.fatal('it has ended');
    writer.flushSync();
    expect(writer.lostLines).toBeGreaterThanOrEqual(1);
  });

  test('receives whole lines once there is room again', async () => {
    const answers: ((...given: any[]) => void)[] = [
      (fd, bytes, start, _length, position, done) => originalWrite(fd, bytes, start, 3, position, done),
      (...given) => given[5](Object.assign(new Error('no space'), { code: 'ENOSPC' })),
    ];
    fs.write = ((...given: any[]) => (answers.shift() ?? (originalWrite as any))(...given)) as never;
    syncBuiltinESMExports();
    const writer = new LogWriter(opening(file));
    writer.write('{"n":1}\n');
    await waitFor(() => expect(writer.lostLines).toBe(1));
    writer.write('{"n":2}\n');
    await waitFor(() => expect(readFileSync(file, 'utf8')).toBe('{"n\n{"n":2}\n'));
    expect(writer.lostLines).toBe(1);
  });
});

test('keeps the order of lines and writes pending lines when the process ends', async () => {
  const writer = new LogWriter(opening(file));
  const expected = Array.from({ length: 5000 }, (_, i) => `line ${i} ${'x'.repeat(50)}\n`);
  for (const line of expected) writer.write(line);
  await waitFor(() => expect(readFileSync(file, 'utf8').length).toBe(expected.join('').length));
  expect(readFileSync(file, 'utf8')).toBe(expected.join(''));
  expect(writer.lostLines).toBe(0);
});

test('retries if the reader accepts nothing for a while', async () => {
  let refused = 0;
  fs.write = ((...given: any[]) => {
    if (refused++ > 0) return (originalWrite as any)(...given);
    given[5](Object.assign(new Error('try again'), { code: 'EAGAIN' }));
  }) as never;
  syncBuiltinESMExports();
  const writer = new LogWriter(opening(file));
  writer.write('patient\n');
  await waitFor(() => expect(readFileSync(file, 'utf8')).toBe('patient\n'));
  expect(writer.lostLines).toBe(0);
});

test('drops lines above the limit of pending bytes', () => {
  fs.write = (() => {}) as never;
  syncBuiltinESMExports();
  const writer = new LogWriter(opening(file), { maxBytes: 100 });
  for (let i = 0; i < 100; i++) writer.write('123456789\n');
  // one line is being written, ten are waiting
  expect(writer.lostLines).toBe(89);
});

test('a server whose output nobody reads keeps serving and ends on SIGTERM', async () => {
  const env = { ...process.env, LECTERN_LOG_REQUESTS: 'true', LECTERN_LOG_FORMAT: 'json', LECTERN_PORT: '0' };
  const child = spawn(process.execPath, [cli, 'serve', guideFolder], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  try {
    let text = '';
    for await (const part of child.stderr) {
      text += part;
      if (text.includes('"msg":"serving"')) break;
    }
    // leaving the loop has closed the pipe
    child.stdout.destroy();
    const [, address] = /"address":"(http:[^"]+?)\/?"/.exec(text)!;
    const lost = async () => samples(await (await fetch(`${address}/_metrics`)).text());
    for (let i = 0; i < 5; i++) expect((await fetch(`${address}/_health`)).status).toBeLessThan(300);
    await waitFor(async () => expect((await lost()).get('lectern_log_lost_lines_total')).toBeGreaterThanOrEqual(5));
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});

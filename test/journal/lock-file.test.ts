import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { JournalError } from '../../src/changes/journal/errors.ts';
import { Journal } from '../../src/changes/journal/journal.ts';
import { lockFile } from '../../src/core/lock-file.ts';
import { temporaryFolder } from '../support/folders.ts';

const folder = temporaryFolder();
const options = { base: { epoch: 1, version: 'a' } };

afterEach(() => {
  vi.unstubAllEnvs();
});

test('a locked journal is refused, and the message names the process that has it', async () => {
  const path = join(folder, 'changes');
  const { journal } = await Journal.open(path, options);
  const error = await Journal.open(path, options).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(JournalError);
  expect(error.message).toBe(
    `${path}.lock is locked by process ${process.pid} on ${hostname()}. Only one process may use a journal`,
  );
  await journal.close();
  await (await Journal.open(path, options)).journal.close();
});

test('a journal that cannot be opened is not left locked', async () => {
  const path = join(folder, 'other');
  writeFileSync(path, 'no journal');
  for (let i = 0; i < 2; i++) await expect(Journal.open(path, options)).rejects.toThrow('is not a journal');
});

test.runIf(process.platform === 'linux')(
  'a missing command "flock" is reported, and so is a missing folder',
  async () => {
    await expect(lockFile(join(folder, 'missing/x'))).rejects.toThrow('ENOENT');
    vi.stubEnv('PATH', '');
    const path = join(folder, 'without command');
    await expect(lockFile(path)).rejects.toThrow(`cannot lock ${path}: the command "flock"`);
  },
);

test('a file that is locked is waited for, and no longer than that', async () => {
  const path = join(folder, 'waited for');
  const unlock = await lockFile(path);
  await expect(lockFile(path, 50)).rejects.toThrow(`${path} is locked by process ${process.pid} on ${hostname()}`);
  const second = lockFile(path, 60_000);
  await unlock();
  await (await second)();
});

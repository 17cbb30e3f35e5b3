// The setting `threads` gives a number of threads, a warning or an error.
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/model/settings/config.ts';
import { readConfig } from '../../src/model/settings/read-config.ts';
import { obstacleToThreads, threadCount } from '../../src/server/threads/thread-count.ts';

const source = () => 'lectern.json';

test('auto is one thread for each processor', () => {
  expect(threadCount({ threads: 'auto' }, source, 6, null)).toEqual({ count: 6, warning: null });
  expect(threadCount({ threads: 3 }, source, 6, null)).toEqual({ count: 3, warning: null });
});

test('more than four threads for each processor are an error that names the setting', () => {
  expect(threadCount({ threads: 8 }, source, 2, null).count).toBe(8);
  expect(() => threadCount({ threads: 9 }, source, 2, null)).toThrow(ConfigError);
  expect(() => threadCount({ threads: 9 }, source, 2, null)).toThrow(
    'lectern.json: threads: must be at most 8, 4 for each of 2 processors, is 9',
  );
  expect(() => threadCount({ threads: 5 }, source, 1, null)).toThrow('4 for each of 1 processor, is 5');
});

test('where threads cannot share a port, there is one, with a warning that says why', () => {
  expect(threadCount({ threads: 2 }, source, 2, 'no')).toEqual({
    count: 1,
    warning: 'threads is 2, but this process serves with one thread: no',
  });
  expect(threadCount({ threads: 1 }, source, 2, 'no').warning).toBe(null);
  expect(threadCount({ threads: 'auto' }, source, 1, 'no').warning).toBe(null);
});

test('several threads need Node 22.12 and a system that shares ports', () => {
  const on = (version: string, platform: NodeJS.Platform, canShare: boolean) =>
    obstacleToThreads({ version, platform }, canShare);
  expect(on('v20.20.2', 'linux', false)).toBe('several threads need Node 22.12 or later, this is 20.20.2');
  expect(on('v24.1.0', 'darwin', true)).toBe('threads cannot share a port on darwin');
  expect(on('v24.1.0', 'linux', true)).toBe(null);
});

const wrong = [
  [0, 'at least 1, is 0'],
  [-1, 'at least 1, is -1'],
  [257, 'at most 256, is 257'],
  [1.5, 'a whole number from 1 to 256, or auto, is 1.5'],
  ['4', 'a whole number from 1 to 256, or auto, is "4"'],
  ['all', 'a whole number from 1 to 256, or auto, is "all"'],
] as const;

test.each(wrong)('the setting %j is rejected', (threads, rule) => {
  expect(() => readConfig({ flags: { threads } })).toThrow(`flags: threads: must be ${rule}`);
});

test('an environment variable sets a number or auto', () => {
  const threads = (LECTERN_THREADS: string) => readConfig({ environment: { LECTERN_THREADS } }).threads;
  expect(threads('auto')).toBe('auto');
  expect(threads('4')).toBe(4);
  expect(() => threads('many')).toThrow('LECTERN_THREADS: threads: must be a whole number from 1 to 256, or auto');
});

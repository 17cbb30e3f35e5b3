import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

const program = `
  import { temporaryFolder } from './test/support/folders.ts';
  console.log(temporaryFolder());
  setInterval(() => {}, 1000);
`;

test.each(['SIGTERM', 'SIGINT'] as const)('a process of tests that %s ends removes its folders', async (signal) => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await once(child.stdout.setEncoding('utf8'), 'data');
  const folder = printed.trim();
  expect(existsSync(folder)).toBe(true);
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([null, signal]);
  expect(existsSync(folder)).toBe(false);
});

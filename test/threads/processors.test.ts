// The number of processors that a process may use follows the quotas of its cgroups.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { availableProcessors } from '../../src/server/threads/thread-count.ts';
import { temporaryFolder } from '../support/folders.ts';

/** A root folder with these files. */
function root(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const processors = (files: Record<string, string>) => availableProcessors(root(files), 8);

test('a system without cgroups has all processors of the machine', () => {
  expect(processors({})).toBe(8);
});

test('a quota of cgroups 2 is rounded down, to at least 1', () => {
  const withQuota = (max: string) => processors({ 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': max });
  expect(withQuota('250000 100000\n')).toBe(2);
  expect(withQuota('50000 100000\n')).toBe(1);
  expect(withQuota('1600000 100000\n')).toBe(8);
  expect(withQuota('max 100000\n')).toBe(8);
});

test('the smallest quota of a cgroup and those above it counts', () => {
  const files = {
    'proc/self/cgroup': '0::/system.slice/lectern.service\n',
    'sys/fs/cgroup/system.slice/lectern.service/cpu.max': 'max 100000\n',
    'sys/fs/cgroup/system.slice/cpu.max': '300000 100000\n',
  };
  expect(processors(files)).toBe(3);
  expect(processors({ ...files, 'sys/fs/cgroup/system.slice/lectern.service/cpu.max': '200000 100000\n' })).toBe(2);
});

test('a quota of cgroups 1 is read from its controller, in a container from the mount', () => {
  const quota = (folder: string, microseconds: string) => ({
    'proc/self/cgroup': '12:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/docker/abc\n',
    [`sys/fs/cgroup/cpu,cpuacct/${folder}cpu.cfs_quota_us`]: `${microseconds}\n`,
    [`sys/fs/cgroup/cpu,cpuacct/${folder}cpu.cfs_period_us`]: '100000\n',
  });
  expect(processors(quota('docker/abc/', '400000'))).toBe(4);
  expect(processors(quota('', '150000'))).toBe(1);
  expect(processors(quota('', '-1'))).toBe(8);
});

test('this machine has at least one processor', () => {
  expect(availableProcessors()).toBeGreaterThanOrEqual(1);
});

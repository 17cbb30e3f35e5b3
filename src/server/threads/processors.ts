import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Returns how many processors this process may use: those of the machine and of its affinity, limited by the quotas of
 * its cgroups (version 1 and 2) and rounded down. At least 1. `root` is the folder that holds `proc` and `sys`.
 */
export function availableProcessors(root = '/', processors = availableParallelism()): number {
  return Math.max(1, Math.floor(Math.min(processors, ...quotas(root))));
}

/** Returns the quota of each cgroup of this process, in processors. A cgroup without a quota has none. */
function quotas(root: string): number[] {
  const lines = (read(join(root, 'proc/self/cgroup')) ?? '').split('\n');
  return lines.flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === '') return quotasAlong(join(root, 'sys/fs/cgroup'), path, unifiedQuota);
    if (!controllers?.split(',').includes('cpu')) return [];
    return quotasAlong(join(root, 'sys/fs/cgroup', controllers), path, legacyQuota);
  });
}

/** Returns the quotas of a cgroup and those above it. In a container, its path may not exist below the mount. */
function quotasAlong(mount: string, path: string, quotaOf: (folder: string) => number): number[] {
  const found = quotaOf(join(mount, path));
  const above = path === '/' ? [] : quotasAlong(mount, dirname(path), quotaOf);
  return Number.isFinite(found) && found > 0 ? [found, ...above] : above;
}

/** Reads `cpu.max` of version 2: quota and period in microseconds, or `max` and the period. */
function unifiedQuota(folder: string): number {
  const [quota, period] = (read(join(folder, 'cpu.max')) ?? '').split(' ').map(Number);
  return quota / period;
}

/** Reads the files of version 1. A quota of -1 means none. */
function legacyQuota(folder: string): number {
  const [quota, period] = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) => Number(read(join(folder, name))));
  return quota / period;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

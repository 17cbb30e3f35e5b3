import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { canShareMemory } from '../../core/memory/allocator.ts';
import { type Config, ConfigError } from '../../model/settings/config.ts';
import { problemAt, type SourceOf, withSource } from '../../model/settings/setting-problems.ts';

/** More threads than this for each processor only take memory. */
const maxPerProcessor = 4;

/** The number of threads to serve with, and why it is not the configured one. */
interface ThreadCount {
  readonly count: number;
  readonly warning: string | null;
}

/**
 * Returns the number of threads for the setting `threads`. Throws a ConfigError that names its source if it is more
 * than four for each processor.
 */
export function threadCount(
  { threads }: Pick<Config, 'threads'>,
  sourceOf: SourceOf,
  processors = availableProcessors(),
  obstacle = obstacleToThreads(),
): ThreadCount {
  const count = threads === 'auto' ? processors : threads;
  const most = maxPerProcessor * processors;
  if (count > most) {
    const what = processors === 1 ? '1 processor' : `${processors} processors`;
    const message = `: must be at most ${most}, ${maxPerProcessor} for each of ${what}, is ${count}`;
    throw new ConfigError(withSource(problemAt(['threads'], message), sourceOf));
  }
  if (count === 1 || obstacle === null) return { count, warning: null };
  return { count: 1, warning: `threads is ${threads}, but this process serves with one thread: ${obstacle}` };
}

/** The systems on which Node lets several sockets listen on one port. */
const sharingPlatforms = ['linux', 'freebsd', 'sunos', 'aix'];

/** Returns why this process cannot serve with several threads, or null. */
export function obstacleToThreads(
  { version, platform }: Pick<NodeJS.Process, 'version' | 'platform'> = process,
  canShare = canShareMemory,
): string | null {
  if (!canShare) return `several threads need Node 22.12 or later, this is ${version.slice(1)}`;
  return sharingPlatforms.includes(platform) ? null : `threads cannot share a port on ${platform}`;
}

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

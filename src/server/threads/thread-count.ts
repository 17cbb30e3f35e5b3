import { canShareMemory } from '../../core/memory/allocator.ts';
import { type Config, ConfigError } from '../../model/settings/config.ts';
import { problemAt, type SourceOf, withSource } from '../../model/settings/setting-problems.ts';
import { availableProcessors } from './processors.ts';

/** More threads than this for each processor only take memory. */
const maxPerProcessor = 4;

/** The number of threads to serve with, and why it is not the configured one. */
export interface ThreadCount {
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

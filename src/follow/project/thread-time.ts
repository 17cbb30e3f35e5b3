import { readFileSync } from 'node:fs';

/** What newer Nodes have. */
interface WithThreadUsage {
  threadCpuUsage?(): { readonly user: number; readonly system: number };
}

/**
 * Returns the milliseconds of processor time that this thread has taken, since some point in time. On systems that do not
 * tell, the time that has passed.
 */
export function threadTime(): number {
  const usage = (process as WithThreadUsage).threadCpuUsage?.();
  if (usage) return (usage.user + usage.system) / 1000;
  try {
    // the first number is that of nanoseconds on a processor
    return Number.parseInt(readFileSync('/proc/thread-self/schedstat', 'latin1'), 10) / 1e6;
  } catch {
    return performance.now();
  }
}

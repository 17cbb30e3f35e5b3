import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is generated, installed and built for the benchmarks is kept here. It may be deleted at any time. */
export const keptFolder = join(tmpdir(), 'lectern-bench');

/** Where something is made before it is moved to its folder, so that a run that is stopped leaves no half of it. */
export const unfinishedOf = (folder: string): string => `${folder}.unfinished-${process.pid}`;

/** Removes what runs that no longer exist have left unfinished. */
export function removeLeftovers(folder = keptFolder): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const pid = /\.unfinished-(\d+)$/.exec(name)?.[1];
    if (pid && !isRunning(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // it runs, and belongs to another user
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

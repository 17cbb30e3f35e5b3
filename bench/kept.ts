import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is generated, installed and built for the benchmarks is kept here. It may be deleted at any time. */
const keptFolder = join(tmpdir(), 'lectern-bench');

export const keptAt = (name: string): string => join(keptFolder, name);

/** The kept folder of a name. `make` fills a new one, which gets its name when it is complete. */
export async function kept(name: string, make: (folder: string) => unknown): Promise<string> {
  const folder = keptAt(name);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    await make(unfinished);
    // another run may have made it meanwhile
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

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

/** Private folders for copies of databases, one for each load. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const namePattern = /^lectern-database-(\d+)-/;
/** Folders that are younger may belong to a process that this one cannot see, such as one in another container. */
const staleMilliseconds = 3_600_000;

/**
 * Calls `use` with a new folder that only this user can read, and removes the folder afterwards. Also removes the
 * folders of processes that were killed. `parent` is the folder for all of them.
 */
export async function withCopyFolder<Result>(
  use: (folder: string) => Promise<Result>,
  parent = tmpdir(),
): Promise<Result> {
  await removeStaleFolders(parent);
  const folder = await mkdtemp(join(parent, `lectern-database-${process.pid}-`));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function removeStaleFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const id = namePattern.exec(name)?.[1];
    if (id === undefined || isRunning(Number(id))) continue;
    const path = join(parent, name);
    try {
      if (Date.now() - (await stat(path)).mtimeMs > staleMilliseconds) await rm(path, { recursive: true, force: true });
    } catch {
      // another process has removed it, or it belongs to another user
    }
  }
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

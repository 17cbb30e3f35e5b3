/** Private folders for copies of databases and for pulls. They do not pile up, also when processes are killed. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

const copyName = /^copy-[^.]*\.db$/;

/**
 * Returns a new path for a copy in the folder. The file of an earlier copy gets it, if there is one. Removes further
 * copies and files that SQLite made beside them.
 */
export async function beginCopy(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const earlier = entries.find((entry) => entry.isFile() && copyName.test(entry.name))?.name;
  await removeCopies(folder, earlier);
  const copy = join(folder, `copy-${randomUUID()}.db`);
  if (earlier) await rename(join(folder, earlier), copy);
  return copy;
}

export async function removeCopies(folder: string, except?: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('copy-') && name !== except) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Makes a folder with the mode 0700 in `parent` and returns its path. Removes folders there of processes of this host and
 * user that have ended. The caller removes its own folder when it no longer needs it.
 */
export async function makeCopyFolder(purpose: 'database' | 'pull', parent = tmpdir()): Promise<string> {
  // containers that share a folder have process ids and host names of their own
  const prefix = `lectern-${purpose}-${hostname()}-`;
  for (const name of await readdir(parent)) {
    const [, processId] = name.startsWith(prefix) ? (/^(\d+)-/.exec(name.slice(prefix.length)) ?? []) : [];
    if (processId && (await hasEnded(Number(processId), join(parent, name)))) await removeIfOwn(join(parent, name));
  }
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}

async function hasEnded(processId: number, folder: string): Promise<boolean> {
  if (processId !== process.pid) return !isRunning(processId);
  // a container that starts again often has the same process id, and a folder from before its start
  const folderStats = await stat(folder).catch(() => null);
  return folderStats !== null && folderStats.mtimeMs < performance.timeOrigin;
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function removeIfOwn(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
  });
}

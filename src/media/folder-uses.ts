/** Counts who uses a folder of the cache, so that the last user can remove it. */
import { readdir, rm, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const markPrefix = '.used-by-';
/** The parts of a mark's name are separated by a character that is in none of them. */
const separator = '@';

/** Users in this thread, by folder. */
const users = new Map<string, number>();

/** Marks a folder as used. A mark that cannot be written is left out: then no process can remove the folder. */
export async function beginUse(folder: string): Promise<void> {
  const count = users.get(folder) ?? 0;
  users.set(folder, count + 1);
  if (count === 0) await writeFile(ownMark(folder), '', { mode: 0o600 }).catch(() => {});
}

/**
 * Ends one use. Removes the folder unless it is used here, by a process of this machine that is running, or by any
 * process of another machine. Rejects with a system error if it cannot be removed.
 */
export async function endUse(folder: string): Promise<void> {
  const count = users.get(folder) ?? 0;
  if (count > 1) return void users.set(folder, count - 1);
  users.delete(folder);
  await unlink(ownMark(folder)).catch(() => {});
  const names = await readdir(folder);
  if (users.has(folder) || names.some(isUse)) return;
  await rm(folder, { recursive: true, force: true });
}

function ownMark(folder: string): string {
  return join(folder, markPrefix + [encodeURIComponent(hostname()), process.pid, threadId].join(separator));
}

/** Whether a name is a mark of someone who may use the folder still. */
function isUse(name: string): boolean {
  if (!name.startsWith(markPrefix)) return false;
  const [host, id] = name.slice(markPrefix.length).split(separator);
  return decodeURIComponent(host) !== hostname() || isRunning(Number(id));
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    // a process of another user cannot be signalled
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

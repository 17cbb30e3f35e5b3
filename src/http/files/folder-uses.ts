/** Counts who uses a folder of the cache, so that the last user can remove it. */
import { mkdir, readdir, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

/** Files in the folder: marks of its users, and claims of those that remove it. */
const markPrefix = '.used-by-';
const claimPrefix = '.removed-by-';
/** The parts of the name of a mark or a claim are separated by a character that is in none of them. */
const separator = '@';

/** How often and how long a user waits for a removal, which may have died on another machine. In milliseconds. */
const maxWaits = 1200;
const waitMilliseconds = 50;

/** The users of a folder in this thread. */
interface Uses {
  count: number;
  /** A use that begins after the last one has ended has another mark. */
  readonly mark: string;
  /** Resolves when the mark is written. */
  readonly begun: Promise<void>;
}

const uses = new Map<string, Uses>();
let named = 0;

/**
 * Marks a folder as used, and creates it if it was removed. A mark that cannot be written is left out: then no process can
 * remove the folder. Waits while the folder is being removed.
 */
export async function beginUse(folder: string): Promise<void> {
  const known = uses.get(folder);
  if (known) {
    known.count++;
    return known.begun;
  }
  const mark = join(folder, ownName(markPrefix));
  const begun = writeMark(folder, mark);
  uses.set(folder, { count: 1, mark, begun });
  return begun;
}

/**
 * Ends one use. Removes the folder unless it is used here, by a process of this machine that is running, or by any
 * process of another machine. Rejects with a system error if it cannot be removed.
 */
export async function endUse(folder: string): Promise<void> {
  const known = uses.get(folder);
  if (known && --known.count > 0) return;
  uses.delete(folder);
  await known?.begun;
  if (known) await unlink(known.mark).catch(() => {});
  await removeUnused(folder);
}

/** Writes a mark, and then looks for claims. As a claim is written before marks are looked for, one side sees the other. */
async function writeMark(folder: string, mark: string): Promise<void> {
  for (let waits = 0; waits < maxWaits; waits++) {
    await mkdir(folder, { mode: 0o700 }).catch(() => {});
    const problem = await writeFile(mark, '', { mode: 0o600 }).catch((error: NodeJS.ErrnoException) => error);
    // the folder was removed just now
    if (problem?.code === 'ENOENT') continue;
    if (problem || !(await readdir(folder)).some(isClaim)) return;
    await unlink(mark).catch(() => {});
    await setTimeout(waitMilliseconds);
  }
}

async function removeUnused(folder: string): Promise<void> {
  const claim = ownName(claimPrefix);
  await writeFile(join(folder, claim), '', { mode: 0o600 });
  try {
    const names = await readdir(folder);
    if (names.some(isUse)) return;
    const removed = names.filter((name) => !isClaim(name));
    for (const name of removed) await rm(join(folder, name), { recursive: true, force: true });
  } finally {
    await unlink(join(folder, claim)).catch(() => {});
  }
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    // a user or another claim came meanwhile, or another process has removed it
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
  });
}

function ownName(prefix: string): string {
  return prefix + [encodeURIComponent(hostname()), process.pid, threadId, ++named].join(separator);
}

/** Whether a name is a mark of someone who may use the folder still. */
function isUse(name: string): boolean {
  return name.startsWith(markPrefix) && mayRun(name.slice(markPrefix.length));
}

/** Whether a name is a claim of someone who may remove the folder still. */
function isClaim(name: string): boolean {
  return name.startsWith(claimPrefix) && mayRun(name.slice(claimPrefix.length));
}

function mayRun(owner: string): boolean {
  const [host, id] = owner.split(separator);
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

/** The cache folder for unpacked archives, and the users of its folders: the last user removes a folder. */
import { chmod, lstat, mkdir, readdir, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

/** The cache folder cannot be used. The message names the folder, the reason and the setting. */
export class CacheError extends Error {
  override readonly name = 'CacheError';
}

/** Only the owner may read and write the folders. */
const ownerOnly = 0o700;

/** Returns the cache folder. Creates it if it is missing. The default is a folder per user in the temporary folder. */
export async function cacheFolder(configured: string | undefined): Promise<string> {
  const folder = configured ?? join(tmpdir(), `lectern-${process.getuid?.() ?? 'cache'}`);
  await inCache(folder, async () => {
    await mkdir(folder, { recursive: configured !== undefined, mode: ownerOnly }).catch(unlessExists);
    // another user could have created a folder or link of this name in the temporary folder
    if (configured === undefined) await checkOwner(folder);
  });
  return folder;
}

/** Returns a subfolder of the cache folder. Creates it if it is missing. */
export async function cacheSubfolder(cache: string, name: string): Promise<string> {
  const folder = join(cache, name);
  await inCache(cache, async () => {
    await mkdir(folder, { mode: ownerOnly }).catch(unlessExists);
    await checkOwner(folder);
  });
  return folder;
}

/** Runs a step that writes to the cache. Turns system errors into a CacheError. */
export async function inCache<T>(folder: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : message;
    throw new CacheError(`${folder}: cannot be written: ${reason}. Set cacheDir (--cache) to another folder`);
  }
}

/** Checks that a folder belongs to this user, and removes access for others. */
async function checkOwner(folder: string): Promise<void> {
  const found = await lstat(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid())) {
    throw new CacheError(`${folder}: is not a folder of this user. Set cacheDir (--cache) to another folder`);
  }
  if (process.getuid && (found.mode & 0o077) !== 0) await chmod(folder, ownerOnly);
}

function unlessExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Files in a folder: the marks of its users, and the claims of processes that are removing it. */
const markPrefix = '.used-by-';
const claimPrefix = '.removed-by-';
/** Separates the parts in the name of a mark or a claim. No part contains it. */
const separator = '@';

/** How often and how long a user waits for a removal, in milliseconds. The process that removes may have died. */
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
 * Marks a folder as used, and creates it if it was removed. Waits while the folder is being removed. Ignores a mark that
 * cannot be written, because a process that cannot write cannot remove the folder either.
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

/** Writes a mark, then looks for claims. A removal writes its claim, then looks for marks, so one side sees the other. */
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
    // another process uses the folder, claims it or has removed it
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
  });
}

function ownName(prefix: string): string {
  return prefix + [encodeURIComponent(hostname()), process.pid, threadId, ++named].join(separator);
}

/** Whether a name is the mark of a user that may still run. */
function isUse(name: string): boolean {
  return name.startsWith(markPrefix) && mayRun(name.slice(markPrefix.length));
}

/** Whether a name is the claim of a removal that may still run. */
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

/** The cache folder for unpacked archive files. */
import { chmod, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

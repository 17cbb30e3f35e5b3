import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file under a temporary name beside `path` and renames it when it is on disk, so that readers see the old
 * file or the whole new one. Rejects with a system error, or with what reading the pieces threw, and leaves no file.
 */
export async function writeAtomically(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const folder = dirname(path);
  const part = join(folder, `.${basename(path)}.${process.pid}-${randomUUID()}`);
  try {
    const file = await open(part, 'wx');
    try {
      for await (const piece of pieces) await writeWhole(file, piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let written = 0; written < piece.length; ) {
    written += (await file.write(piece, written)).bytesWritten;
  }
}

/** Puts the new name on disk. Windows cannot, and has no need to. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

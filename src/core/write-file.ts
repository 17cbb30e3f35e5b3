import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The functions of `node:fs/promises` that write a file. Tests replace them to lose and fail writes. */
export interface WritingFiles {
  open(path: string, flags: string): Promise<WritableFile>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: true }): Promise<void>;
}

export interface WritableFile {
  write(bytes: Uint8Array, start: number, length: number, position: number | null): Promise<{ bytesWritten: number }>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes a file under a temporary name beside `path` and renames it when it is on disk, so that readers see the old
 * file or the whole new one. Rejects with a system error, or with what reading the pieces threw, and leaves no
 * temporary file. If writing the folder to disk fails, the new file is in place, but may be lost with the power.
 */
export async function writeAtomically(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  files: WritingFiles = { open, rename, rm },
): Promise<void> {
  const folder = dirname(path);
  const part = join(folder, `.${basename(path)}.${process.pid}-${randomUUID()}`);
  try {
    const file = await files.open(part, 'wx');
    try {
      for await (const piece of pieces) await writeWhole(file, piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(part, path);
  } catch (error) {
    await files.rm(part, { force: true });
    throw error;
  }
  await syncFolder(folder, files);
}

/**
 * Returns the name of the file that a temporary file would have become, or null for any other file. A process that is
 * killed leaves such files.
 */
export function targetOfTemporary(name: string): string | null {
  return /^\.(.+)\.\d+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[1] ?? null;
}

/** Writes all bytes, at `position` or at the current position if it is null. A file system may write fewer at a time. */
export async function writeWhole(file: WritableFile, bytes: Uint8Array, position: number | null = null): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const at = position === null ? null : position + written;
    written += (await file.write(bytes, written, bytes.length - written, at)).bytesWritten;
  }
}

/** Puts the names of a folder on disk. Windows cannot, and has no need to. */
export async function syncFolder(folder: string, files: Pick<WritingFiles, 'open'> = { open }): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await files.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

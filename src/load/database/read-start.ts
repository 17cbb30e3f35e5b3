import type { BigIntStats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Opens a file for reading. Returns null if there is no such file. */
export async function openIfExists(path: string): Promise<FileHandle | null> {
  try {
    return await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Returns the first `length` bytes of a file, or all if it is shorter, with its stats. Null if there is no such file. */
export async function readStart(path: string, length: number): Promise<{ bytes: Buffer; stats: BigIntStats } | null> {
  const file = await openIfExists(path);
  if (!file) return null;
  try {
    const stats = await file.stat({ bigint: true });
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return { bytes: buffer.subarray(0, bytesRead), stats };
  } finally {
    await file.close();
  }
}

/** Makes a copy of a file equal to it again. Writes only what differs, so that copying does not keep the disk from others. */
import { constants, ftruncateSync, readSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writeWhole } from '../../core/write-file.ts';

const chunkBytes = 2 ** 20;
const blockBytes = 2 ** 14;
/** Bytes after which writes are put on disk. File systems make the commits of other files wait for more of them. */
const unsyncedBytes = 4 * chunkBytes;

/** Creates the copy if it does not exist. Readers of the copy see the changes. */
export async function updateCopy(path: string, copy: string): Promise<void> {
  const source = await open(path);
  try {
    const target = await open(copy, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      await updateChunks(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function updateChunks(source: FileHandle, target: FileHandle): Promise<void> {
  const wanted = Buffer.allocUnsafe(chunkBytes);
  const present = Buffer.allocUnsafe(chunkBytes);
  let unsynced = 0;
  for (let position = 0; ; ) {
    const { bytesRead } = await source.read(wanted, 0, chunkBytes, position);
    if (bytesRead === 0) return target.truncate(position);
    const { bytesRead: bytesPresent } = await target.read(present, 0, bytesRead, position);
    for (const [start, end] of differences(wanted.subarray(0, bytesRead), present.subarray(0, bytesPresent))) {
      await writeWhole(target, wanted.subarray(start, end), position + start);
      unsynced += end - start;
    }
    if (unsynced > unsyncedBytes) {
      await target.datasync();
      unsynced = 0;
    }
    position += bytesRead;
  }
}

/**
 * Does the same in one turn, with open files. Returns false if it was not done before `end`, a time of
 * `performance.now()`, and throws what the file system throws.
 */
export function updateCopyAtOnce(source: number, target: number, end: number): boolean {
  const wanted = Buffer.allocUnsafe(chunkBytes);
  const present = Buffer.allocUnsafe(chunkBytes);
  for (let position = 0; performance.now() < end; ) {
    const length = readSync(source, wanted, 0, chunkBytes, position);
    if (length === 0) {
      ftruncateSync(target, position);
      return true;
    }
    const lengthPresent = readSync(target, present, 0, length, position);
    for (const [from, to] of differences(wanted.subarray(0, length), present.subarray(0, lengthPresent))) {
      for (let at = from; at < to; ) at += writeSync(target, wanted, at, to - at, position + at);
    }
    position += length;
  }
  return false;
}

/** Yields the ranges of `wanted` that differ from `present`, in whole blocks. */
function* differences(wanted: Buffer, present: Buffer): Generator<[number, number]> {
  if (wanted.equals(present)) return;
  let start = -1;
  for (let at = 0; at < wanted.length; at += blockBytes) {
    const isSame = wanted.subarray(at, at + blockBytes).equals(present.subarray(at, at + blockBytes));
    if (!isSame && start < 0) start = at;
    if (isSame && start >= 0) {
      yield [start, at];
      start = -1;
    }
  }
  if (start >= 0) yield [start, wanted.length];
}

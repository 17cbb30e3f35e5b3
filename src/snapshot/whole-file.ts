import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { SnapshotError } from '../errors.ts';

const pieceBytes = 2 ** 20;

/** What changes when a file is written or another takes its place. */
export async function stampOf(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path);
  return `${size} ${mtimeMs} ${ino}`;
}

/**
 * The bytes of a file, in pieces. Throws a SnapshotError where they are not all that the file holds, or where it has
 * been changed while it was read.
 */
export async function* wholeFile(path: string): AsyncGenerator<Buffer> {
  const before = await stampOf(path);
  let bytes = 0;
  for await (const piece of createReadStream(path, { highWaterMark: pieceBytes })) {
    bytes += piece.length;
    yield piece;
  }
  const after = await stampOf(path);
  if (before !== after) throw new SnapshotError([`${path}: changed while it was read`]);
  const size = Number(before.split(' ')[0]);
  if (bytes !== size) throw new SnapshotError([`${path}: ${bytes} of its ${size} bytes could be read`]);
}

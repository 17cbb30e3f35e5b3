import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { SnapshotError } from '../base/errors.ts';
import { isSystemFile } from './strapi/export-layout.ts';

const pieceBytes = 2 ** 20;

/** What changes when a file is written or another takes its place. */
export async function stampOf(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path);
  return `${size} ${mtimeMs} ${ino}`;
}

/**
 * What stands below a folder, by paths from there, with slashes: the files, and what is neither file nor folder. Files
 * that operating systems add are passed over.
 */
export async function filesBelow(folder: string): Promise<{ files: string[]; others: string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const named = entries.map((entry) => {
    const name = relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
    return { name, isFile: entry.isFile(), isOther: !entry.isFile() && !entry.isDirectory() };
  });
  const shown = named.filter(({ name }) => !isSystemFile(name));
  return {
    files: shown.filter(({ isFile }) => isFile).map(({ name }) => name),
    others: shown.filter(({ isOther }) => isOther).map(({ name }) => name),
  };
}

/** Throws for what is neither file nor folder: a link that was passed over would be a part that is missing. */
export function refuseOthers(names: readonly string[]): void {
  if (names.length === 0) return;
  throw new SnapshotError(names.map((name) => `${name}: neither a file nor a folder (links are not followed)`));
}

/** Line and column of a byte of a file, both from 1. Reads the file up to there: only for messages. */
export async function placeInFile(path: string, offset: number): Promise<{ line: number; column: number }> {
  let line = 1;
  let column = 1;
  if (offset === 0) return { line, column };
  for await (const piece of createReadStream(path, {
    highWaterMark: pieceBytes,
    end: offset - 1,
  }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, start)) {
      line++;
      column = 1;
      start = end + 1;
    }
    // the bytes of a character but its first are no columns
    for (let i = start; i < piece.length; i++) if ((piece[i] & 0xc0) !== 0x80) column++;
  }
  return { line, column };
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

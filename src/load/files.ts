import { createReadStream, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { SnapshotError } from '../core/errors.ts';

const chunkBytes = 2 ** 20;

/** Whether an operating system added the file: AppleDouble files, `.DS_Store` and so on. They are ignored silently. */
export function isSystemFile(name: string): boolean {
  return /(^|\/)(\.|__MACOSX(\/|$))/.test(name);
}

/** Returns a signature that changes when the file is written or replaced. */
export async function fileSignature(path: string): Promise<string> {
  return signatureOf(await stat(path));
}

/** Throws a SnapshotError if the file no longer has the signature. */
export async function checkUnchanged(path: string, signature: string): Promise<void> {
  if ((await fileSignature(path)) === signature) return;
  throw new SnapshotError([`${path}: the file changed during the read`]);
}

function signatureOf({ size, mtimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ino}`;
}

/**
 * Lists a folder recursively: files, and special files (neither file nor folder), as relative paths with slashes. Skips
 * files that operating systems add.
 */
export async function listFiles(folder: string): Promise<{ files: string[]; specialFiles: string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const named = entries.map((entry) => {
    const name = relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
    return { name, isFile: entry.isFile(), isSpecial: !entry.isFile() && !entry.isDirectory() };
  });
  const listed = named.filter(({ name }) => !isSystemFile(name));
  return {
    files: listed.filter(({ isFile }) => isFile).map(({ name }) => name),
    specialFiles: listed.filter(({ isSpecial }) => isSpecial).map(({ name }) => name),
  };
}

/** Throws a SnapshotError if there are special files. Skipping a link would silently lose content. */
export function rejectSpecialFiles(names: readonly string[]): void {
  if (names.length === 0) return;
  throw new SnapshotError(
    names.map((name) => `${name}: neither a file nor a folder (symbolic links are not followed)`),
  );
}

/**
 * Returns the line and column of a byte offset, both from 1. Reads the file up to the offset, so use it for messages
 * only.
 */
export async function lineAndColumnAt(path: string, offset: number): Promise<{ line: number; column: number }> {
  let line = 1;
  let column = 1;
  if (offset === 0) return { line, column };
  for await (const chunk of createReadStream(path, {
    highWaterMark: chunkBytes,
    end: offset - 1,
  }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      line++;
      column = 1;
      start = end + 1;
    }
    // continuation bytes of UTF-8 do not count as columns
    for (let i = start; i < chunk.length; i++) if ((chunk[i] & 0xc0) !== 0x80) column++;
  }
  return { line, column };
}

/** Yields the bytes of a file. Throws a SnapshotError if a read is short or the file changes during the read. */
export async function* readFileChunks(path: string): AsyncGenerator<Buffer> {
  const before = await stat(path);
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
    bytes += chunk.length;
    yield chunk;
  }
  await checkUnchanged(path, signatureOf(before));
  if (bytes !== before.size) {
    throw new SnapshotError([`${path}: only ${bytes} of ${before.size} bytes could be read`]);
  }
}

/**
 * Returns an error of the system, such as a missing file, as one of the snapshot at `source`. Returns others as they
 * are.
 */
export function asSnapshotError(error: unknown, source: string): unknown {
  const { syscall, path = source, message } = error as NodeJS.ErrnoException;
  return syscall === undefined ? error : new SnapshotError([`${path}: cannot be read: ${message}`]);
}

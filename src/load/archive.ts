/** Reads the files of a Strapi export from a tar archive, with or without gzip, or from an unpacked folder. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { SnapshotError } from '../core/errors.ts';
import { isSystemFile, listFiles, readFileChunks, rejectSpecialFiles } from './files.ts';
import { limits } from './limits.ts';

export interface ExportFile {
  /** Path inside the export, with `/` as the separator. */
  readonly name: string;
  readonly content: AsyncIterable<Buffer>;
  /** Size in bytes and modification time from the archive header. Undefined for files in a folder. */
  readonly size?: number;
  readonly modified?: Date;
}

const chunkBytes = 2 ** 20;

/**
 * Yields the files that `select` accepts, in archive order. Calls `select` with the name of every file except system
 * files. Each call reads the archive from its start, because files may come in any order. Skips links and folders.
 * Throws a SnapshotError if the files exceed `maxBytes`.
 */
export async function* exportFiles(
  path: string,
  select: (name: string) => boolean,
  maxBytes: number = limits.unpackedBytes,
): AsyncGenerator<ExportFile> {
  const inFolder = (await stat(path)).isDirectory();
  let unpackedBytes = 0;
  for await (const file of inFolder ? folderFiles(path, select) : archiveFiles(path, select)) {
    yield {
      ...file,
      content: (async function* counted() {
        for await (const chunk of file.content) {
          unpackedBytes += chunk.length;
          if (unpackedBytes > maxBytes) {
            const where = `${path}, ${file.name}`;
            throw new SnapshotError([`${where}: the files up to this one take more than ${maxBytes} bytes unpacked`]);
          }
          yield chunk;
        }
      })(),
    };
  }
}

async function* folderFiles(folder: string, select: (name: string) => boolean): AsyncGenerator<ExportFile> {
  const { files, specialFiles } = await listFiles(folder);
  // special files outside the folders of the export are ignored
  rejectSpecialFiles(specialFiles.filter((name) => /(^|\/)(schemas|entities|links|configuration)(\/|$)/.test(name)));
  for (const file of files.filter(select).sort()) yield { name: file, content: readFileChunks(join(folder, file)) };
}

async function* archiveFiles(path: string, select: (name: string) => boolean): AsyncGenerator<ExportFile> {
  const isPacked = await isGzip(path);
  if (!isPacked) await rejectOtherFormats(path);
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  const archive = extract();
  const progress = new ArchiveLimits(path);
  let inputError: Error | null = null;
  // each stream may fail, repeatedly, and also after the reader has stopped
  const fail = (error: Error) => {
    inputError ??= error;
    archive.destroy(error);
  };
  file.on('error', fail);
  archive.on('error', () => {});
  const unpacked = isPacked ? file.pipe(createGunzip({ chunkSize: chunkBytes }).on('error', fail)) : file;
  unpacked.on('data', ({ length }: Buffer) => {
    const error = progress.countBytes(length);
    if (error) fail(error);
  });
  unpacked.pipe(archive);
  // a gzip error shows in the archive only as an unexpected end
  const toReadError = (error: unknown) =>
    error instanceof SnapshotError
      ? error
      : new SnapshotError([
          `${progress.location}: not a readable archive: ${(inputError ?? (error as Error)).message}`,
        ]);
  try {
    // the archive never ends if the input failed before iteration starts
    if (inputError) throw inputError;
    for await (const entry of archive) {
      const { type, size, mtime: modified, byteOffset } = entry.header as typeof entry.header & ContentOffset;
      const name = normalizePath(entry.header.name);
      progress.countFile(name, size ?? 0, byteOffset);
      if (type === 'file' && !isSystemFile(name) && select(name)) {
        yield { name, size, modified, content: readContent(entry as AsyncIterable<Buffer>, toReadError) };
      }
      // skips the unread rest of the file
      entry.resume();
    }
    if (progress.isEmpty) throw new Error('it contains no files');
  } catch (error) {
    throw toReadError(error);
  } finally {
    file.destroy();
    unpacked.destroy();
    archive.destroy();
  }
}

/**
 * Yields the content of a file in an archive. Does not close the stream when the reader stops early, as `for await`
 * would. Closing it would close the whole archive.
 */
async function* readContent(content: AsyncIterable<Buffer>, wrap: (error: unknown) => Error): AsyncGenerator<Buffer> {
  const chunks = content[Symbol.asyncIterator]();
  try {
    for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) yield chunk.value;
  } catch (error) {
    throw wrap(error);
  }
}

/** The offset of the content in the archive. The type definitions of tar-stream lack it. */
interface ContentOffset {
  readonly byteOffset: number;
}

function normalizePath(name: string): string {
  return name.replaceAll('\\', '/').replace(/^(\.?\/)+/, '');
}

async function isGzip(path: string): Promise<boolean> {
  const start = await readStart(path);
  return start[0] === 0x1f && start[1] === 0x8b;
}

/** Throws a SnapshotError for ZIP archives and Git LFS pointers. */
async function rejectOtherFormats(path: string): Promise<void> {
  const start = (await readStart(path)).toString('latin1');
  if (start.startsWith('PK')) throw new SnapshotError([`${path}: ZIP archives are not supported; unpack it first`]);
  if (start.startsWith('version https://git-lfs')) {
    throw new SnapshotError([`${path}: the file is a Git LFS pointer; run "git lfs pull"`]);
  }
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(32), 0, 32, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Block size of the tar format. */
const blockBytes = 512;

/** Checks an archive against the limits while it is read. */
class ArchiveLimits {
  readonly #path: string;
  #files = 0;
  /** Unpacked bytes that have been read. */
  #readBytes = 0;
  /** Bytes of the files and their headers, whether they are selected or skipped. */
  #fileBytes = 0;
  #lastName: string | null = null;
  /** Offset of the end of the last file's content. */
  #lastEnd = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether the archive has no file so far. */
  get isEmpty(): boolean {
    return this.#files === 0;
  }

  /** The archive and the last file, for messages. */
  get location(): string {
    return this.#lastName === null ? this.#path : `${this.#path}, after ${this.#lastName}`;
  }

  /** Counts unpacked bytes. Returns an error if too many come after the last file. */
  countBytes(length: number): SnapshotError | null {
    this.#readBytes += length;
    // buffered chunks count too, but are far below the limit
    if (this.#readBytes - this.#lastEnd <= limits.bytesWithoutFile) return null;
    const message = `more than ${limits.bytesWithoutFile} bytes of headers or zeros without a file`;
    return new SnapshotError([`${this.location}: ${message}`]);
  }

  /** Counts a file. `offset` is where its content starts. Throws a SnapshotError for an exceeded limit. */
  countFile(name: string, size: number, offset: number): void {
    const headerBytes = offset - this.#lastEnd;
    this.#files++;
    this.#fileBytes += headerBytes + size;
    this.#lastName = truncateStart(name);
    this.#lastEnd = offset + Math.ceil(size / blockBytes) * blockBytes;
    if (headerBytes > limits.headerBytes) {
      const message = `the headers take ${headerBytes} bytes; the limit is ${limits.headerBytes}`;
      throw new SnapshotError([`${this.#path}, ${this.#lastName}: ${message}`]);
    }
    if (this.#files > limits.archivedFiles) {
      throw new SnapshotError([`${this.#path}: more than ${limits.archivedFiles} files`]);
    }
    const maxBytes = limits.unpackedBytes + limits.uploadBytes;
    if (this.#fileBytes > maxBytes) {
      throw new SnapshotError([`${this.#path}: the files take more than ${maxBytes} bytes unpacked`]);
    }
  }
}

/** Returns the last 200 characters of a longer name. */
function truncateStart(name: string): string {
  return name.length <= 200 ? name : `…${name.slice(-200)}`;
}

/** The files of a Strapi export: in a tar archive, packed or not, or in an unpacked folder. */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { SnapshotError } from '../base/errors.ts';
import { filesBelow, refuseOthers, wholeFile } from './files.ts';
import { limits } from './limits.ts';
import { isSystemFile } from './strapi/export-layout.ts';

export interface ExportFile {
  /** Path inside the export, with `/` between its parts. */
  readonly name: string;
  readonly content: AsyncIterable<Buffer>;
  /** Its bytes and the time of its last change, as the archive says; undefined in a folder. */
  readonly size?: number;
  readonly modified?: Date;
}

const pieceBytes = 2 ** 20;

/** An archive consists of blocks of so many bytes. */
const blockBytes = 512;

/**
 * The files for which `isWanted` is true, in the order in which they stand. It is called with the name of every file
 * but those of the operating system. An archive is read from its start at each call, because the order of its files is
 * no part of the format. Writes nothing; passes over links and folders.
 */
export async function* exportFiles(
  path: string,
  isWanted: (name: string) => boolean,
  mostBytes: number = limits.unpackedBytes,
): AsyncGenerator<ExportFile> {
  const inFolder = (await stat(path)).isDirectory();
  let unpackedBytes = 0;
  for await (const file of inFolder ? folderFiles(path, isWanted) : archiveFiles(path, isWanted)) {
    yield {
      ...file,
      content: (async function* counted() {
        for await (const piece of file.content) {
          unpackedBytes += piece.length;
          if (unpackedBytes > mostBytes) {
            const where = `${path}, ${file.name}`;
            throw new SnapshotError([
              `${where}: with the files before it, it takes more than ${mostBytes} bytes unpacked`,
            ]);
          }
          yield piece;
        }
      })(),
    };
  }
}

async function* folderFiles(folder: string, isWanted: (name: string) => boolean): AsyncGenerator<ExportFile> {
  const { files, others } = await filesBelow(folder);
  // links beside the export are nobody's concern
  refuseOthers(others.filter((name) => /(^|\/)(schemas|entities|links|configuration)(\/|$)/.test(name)));
  for (const file of files.filter(isWanted).sort()) yield { name: file, content: wholeFile(join(folder, file)) };
}

async function* archiveFiles(path: string, isWanted: (name: string) => boolean): AsyncGenerator<ExportFile> {
  const isPacked = await isGzip(path);
  if (!isPacked) await refuseOtherFormats(path);
  const file = createReadStream(path, { highWaterMark: pieceBytes });
  const archive = extract();
  let packing: Error | null = null;
  // each of them may fail, more than once, and when nobody reads any more
  const fail = (error: Error) => {
    packing ??= error;
    archive.destroy(error);
  };
  file.on('error', fail);
  archive.on('error', () => {});
  const unpacked = isPacked ? file.pipe(createGunzip({ chunkSize: pieceBytes }).on('error', fail)) : file;
  /** The file that was found last, with the byte behind its contents. */
  let last: { name: string | null; end: number } = { name: null, end: 0 };
  const after = () => (last.name === null ? '' : `, after ${last.name}`);
  let passedBytes = 0;
  unpacked.on('data', ({ length }: Buffer) => {
    passedBytes += length;
    // pieces that wait for the archive's reader are far below the limit
    if (passedBytes - last.end <= limits.bytesWithoutFile) return;
    const what = `more than ${limits.bytesWithoutFile} bytes of headers or zeros, without a file among them`;
    fail(new SnapshotError([`${path}${after()}: ${what}`]));
  });
  unpacked.pipe(archive);
  // where the packing is broken, the archive in it only ends too early
  const unreadable = (error: unknown) =>
    error instanceof SnapshotError
      ? error
      : new SnapshotError([`${path}${after()}: not a readable archive: ${(packing ?? (error as Error)).message}`]);
  let count = 0;
  let bytes = 0;
  try {
    // of an error that it has had by now the archive would not tell: it would never end
    if (packing) throw packing;
    for await (const entry of archive) {
      count++;
      const entryName = tidy(entry.header.name);
      const size = entry.header.size ?? 0;
      const { byteOffset } = entry.header as typeof entry.header & PlacedHeader;
      const headerBytes = byteOffset - last.end;
      last = {
        name: shortened(entryName),
        end: byteOffset + Math.ceil(size / blockBytes) * blockBytes,
      };
      if (headerBytes > limits.headerBytes) {
        const what = `its headers take ${headerBytes} bytes; the limit is ${limits.headerBytes}`;
        throw new SnapshotError([`${path}, ${last.name}: ${what}`]);
      }
      // what is passed over has to be unpacked, too
      bytes += headerBytes + size;
      if (count > limits.archivedFiles) throw new SnapshotError([`${path}: more than ${limits.archivedFiles} files`]);
      if (bytes > limits.unpackedBytes + limits.uploadBytes) {
        const most = limits.unpackedBytes + limits.uploadBytes;
        throw new SnapshotError([`${path}: the files take more than ${most} bytes unpacked`]);
      }
      if (entry.header.type === 'file' && !isSystemFile(entryName) && isWanted(entryName)) {
        const { mtime: modified } = entry.header;
        yield {
          name: entryName,
          size: entry.header.size,
          modified,
          content: guarded(entry as AsyncIterable<Buffer>, unreadable),
        };
      }
      // what was not asked for, or not read to its end, is passed over
      entry.resume();
    }
    if (count === 0) throw new Error('it holds no files');
  } catch (error) {
    throw unreadable(error);
  } finally {
    file.destroy();
    unpacked.destroy();
    archive.destroy();
  }
}

/**
 * What an archive's file holds. Who stops reading leaves it open, unlike a loop over the file itself, which would close
 * the archive around it: its rest can then be passed over.
 */
async function* guarded(content: AsyncIterable<Buffer>, wrap: (error: unknown) => Error): AsyncGenerator<Buffer> {
  const pieces = content[Symbol.asyncIterator]();
  try {
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) yield piece.value;
  } catch (error) {
    throw wrap(error);
  }
}

/** A header with the place of the contents in the archive, of which the published types do not know. */
interface PlacedHeader {
  readonly byteOffset: number;
}

/** The end of a name that is too long to be read. */
function shortened(name: string): string {
  return name.length <= 200 ? name : `…${name.slice(-200)}`;
}

function tidy(name: string): string {
  return name.replaceAll('\\', '/').replace(/^(\.?\/)+/, '');
}

async function isGzip(path: string): Promise<boolean> {
  const start = await startOf(path);
  return start[0] === 0x1f && start[1] === 0x8b;
}

/** Throws for files that are taken for archives, with what to do. */
async function refuseOtherFormats(path: string): Promise<void> {
  const start = (await startOf(path)).toString('latin1');
  if (start.startsWith('PK')) throw new SnapshotError([`${path}: a ZIP archive is not read; unpack it first`]);
  if (start.startsWith('version https://git-lfs')) {
    throw new SnapshotError([`${path}: a pointer of Git LFS, not the file itself; run "git lfs pull"`]);
  }
}

async function startOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(32), 0, 32, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

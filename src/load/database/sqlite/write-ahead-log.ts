/** The write-ahead log beside a SQLite database file. https://www.sqlite.org/fileformat.html#the_write_ahead_log */
import { type FileHandle, open } from 'node:fs/promises';
import { writeWhole } from '../../../core/write-file.ts';
import { isPageSize, openIfExists, readStart } from './file-header.ts';

const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const chunkBytes = 2 ** 20;
/** The last bit says whether checksums read the bytes as big-endian words. */
const logMagic = 0x377f0682;

export interface LogHeader {
  /** All bytes of the header. SQLite draws new salts when it starts the log anew, so no two generations have the same. */
  readonly generation: string;
  readonly pageSize: number;
  readonly salts: Buffer;
  readonly checksum: Checksum;
  readonly isLittleEndian: boolean;
}

type Checksum = readonly [number, number];

export function logPath(path: string): string {
  return `${path}-wal`;
}

/**
 * Returns the header of the log and the size and time of the file. Null if there is no log, an unfinished one, or a file
 * that is no log of a database with this page size. SQLite ignores such a file, too, and a log never changes the size.
 */
export async function readLogHeader(
  path: string,
  pageSize: number,
): Promise<{ header: LogHeader; sizeAndTime: string } | null> {
  const start = await readStart(logPath(path), logHeaderBytes);
  const header = start && parseLogHeader(start.bytes, pageSize);
  return header ? { header, sizeAndTime: `${start.stats.size} ${start.stats.mtimeNs}` } : null;
}

function parseLogHeader(bytes: Buffer, pageSize: number): LogHeader | null {
  if (bytes.length < logHeaderBytes) return null;
  if (!isPageSize(pageSize) || bytes.readUInt32BE(8) !== pageSize) return null;
  const magic = bytes.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== logMagic) return null;
  const isLittleEndian = magic === logMagic;
  const checksum = checksumOf(bytes.subarray(0, 24), [0, 0], isLittleEndian);
  if (!hasChecksum(bytes, 24, checksum)) return null;
  return {
    generation: bytes.toString('hex'),
    pageSize,
    salts: bytes.subarray(16, 24),
    checksum,
    isLittleEndian,
  };
}

/**
 * Writes the pages of the committed transactions in the log to a copy of the database file. A page that a checkpoint
 * moved to the file is written again. Writes nothing if the log has no committed transaction or is gone.
 */
export async function applyLog(path: string, header: LogHeader, copy: string): Promise<void> {
  const log = await openIfExists(logPath(path));
  if (!log) return;
  try {
    const { frames, pageCount } = await findCommittedFrames(log, header);
    if (pageCount === 0) return;
    const target = await open(copy, 'r+');
    try {
      const page = Buffer.alloc(header.pageSize);
      for (const [number, offset] of frames) {
        if (number > pageCount) continue;
        await log.read(page, 0, page.length, offset);
        await writeWhole(target, page, (number - 1) * page.length);
      }
      await target.truncate(pageCount * header.pageSize);
    } finally {
      await target.close();
    }
  } finally {
    await log.close();
  }
}

/**
 * Returns the last committed version of each page: its offset in the log by page number, with the number of pages of the
 * database. Stops at the first frame that is of an earlier generation or not written completely.
 */
async function findCommittedFrames(
  log: FileHandle,
  { pageSize, salts, checksum, isLittleEndian }: LogHeader,
): Promise<{ frames: Map<number, number>; pageCount: number }> {
  const frameBytes = frameHeaderBytes + pageSize;
  const chunk = Buffer.alloc(Math.max(1, Math.floor(chunkBytes / frameBytes)) * frameBytes);
  const frames = new Map<number, number>();
  let uncommitted: [number, number][] = [];
  let pageCount = 0;
  let current = checksum;
  for (let position = logHeaderBytes; ; position += chunk.length) {
    const { bytesRead } = await log.read(chunk, 0, chunk.length, position);
    for (let start = 0; start + frameBytes <= bytesRead; start += frameBytes) {
      const frame = chunk.subarray(start, start + frameBytes);
      if (!frame.subarray(8, 16).equals(salts)) return { frames, pageCount };
      current = checksumOf(frame.subarray(0, 8), current, isLittleEndian);
      current = checksumOf(frame.subarray(frameHeaderBytes), current, isLittleEndian);
      const number = frame.readUInt32BE(0);
      if (number === 0 || !hasChecksum(frame, 16, current)) return { frames, pageCount };
      uncommitted.push([number, position + start + frameHeaderBytes]);
      const pagesAfterCommit = frame.readUInt32BE(4);
      if (pagesAfterCommit === 0) continue;
      for (const [number, offset] of uncommitted) frames.set(number, offset);
      uncommitted = [];
      pageCount = pagesAfterCommit;
    }
    if (bytesRead < chunk.length) return { frames, pageCount };
  }
}

/** Continues a checksum over pairs of 32-bit words. */
function checksumOf(bytes: Buffer, [first, second]: Checksum, isLittleEndian: boolean): Checksum {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let a = first;
  let b = second;
  for (let i = 0; i < bytes.length; i += 8) {
    a = (a + words.getUint32(i, isLittleEndian) + b) | 0;
    b = (b + words.getUint32(i + 4, isLittleEndian) + a) | 0;
  }
  return [a, b];
}

function hasChecksum(bytes: Buffer, offset: number, [first, second]: Checksum): boolean {
  return bytes.readInt32BE(offset) === first && bytes.readInt32BE(offset + 4) === second;
}

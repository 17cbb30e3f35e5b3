import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder, writeAtomically, writeWhole } from '../../core/write-file.ts';
import { isOutOfSpace, JournalDamaged, JournalError } from './errors.ts';
import { type FileLayer, type JournalFile, readRange } from './file-layer.ts';
import {
  type ContentIdentity,
  decodeHeader,
  decodeRecord,
  encodeHeader,
  findRecord,
  hasWholeLength,
  isSameContent,
  type JournalBase,
  type JournalHeader,
  recordEnd,
  type StartingContent,
  type Transaction,
} from './format.ts';
import { cutPrefix, isImageOf, removeLeftovers } from './images.ts';

export interface Recovered extends ReadRecords {
  readonly file: JournalFile;
  readonly header: JournalHeader;
  /** What was cut off the end. */
  readonly cut: Cut | null;
}

/**
 * Reads the journal at `path`, or creates it, moves what follows the last valid record to another file, and puts the
 * rest on disk. The caller holds the lock. Takes as much memory as the file, for the time of the call.
 */
export async function recover(path: string, content: StartingContent, files: FileLayer): Promise<Recovered> {
  const names = await files.readdir(dirname(path));
  if (!names.includes(basename(path))) {
    const orphan = names.find((name) => isImageOf(path, name));
    if (orphan) {
      const advice = 'Restore the journal or remove the image';
      throw new JournalError(`the journal ${path} is missing, but its image ${orphan} is there. ${advice}`);
    }
    const base = { epoch: content.epoch, version: content.version, sequence: content.sequence ?? 0, image: null };
    await writeAtomically(path, [encodeHeader({ origin: content, base })], files);
  }
  const file = await files.open(path, 'r+');
  try {
    const bytes = await readWhole(path, file);
    const { header: written, end: headerEnd } = decodeHeader(path, bytes);
    const header = headerFor(path, written, content);
    const { image } = header.base;
    if (image !== null && !names.includes(image)) {
      throw new JournalDamaged(path, 0, `it belongs to the image ${image}, which is missing`);
    }
    const read = readRecords(path, bytes, headerEnd, header.base);
    const cut = read.end === bytes.length ? null : await keepCut(path, bytes, read.end, files);
    await secure(file, read, bytes);
    await syncFolder(dirname(path), files);
    await removeLeftovers(path, image, files);
    return { ...read, file, header, cut };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** What a journal holds while another process may write to it. */
export interface ReadJournal {
  readonly base: JournalBase;
  readonly transactions: readonly Transaction[];
  /** Bytes after the last valid record: of one that is being written, or that is damaged. */
  readonly rest: number;
}

/**
 * Reads the journal at `path` without its lock, and changes nothing. A record is on disk before the next one is written, and
 * a rotation replaces the file in one rename, so that all transactions which were acknowledged before are there. The image
 * of the base may be gone when it is opened, since a later rotation removes it: then read again.
 */
export async function readJournal(path: string, content: StartingContent, files: FileLayer): Promise<ReadJournal> {
  const file = await files.open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new JournalError(`There is no journal ${path}`) : error;
  });
  try {
    const bytes = await readWhole(path, file);
    const { header, end } = decodeHeader(path, bytes);
    const { base } = headerFor(path, header, content);
    const { transactions, end: last } = readRecords(path, bytes, end, base);
    return { base, transactions, rest: bytes.length - last };
  } finally {
    await file.close();
  }
}

async function readWhole(path: string, file: JournalFile): Promise<Buffer> {
  const { size } = await file.stat();
  return readRange(file, 0, size).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    throw new JournalError(`the journal ${path} has ${size} bytes, and a buffer cannot hold that many`);
  });
}

/**
 * Cuts the file at the last complete record and puts that record and the length on disk. An earlier process may have
 * failed to sync what it wrote or cut. The kernel then holds it in memory as if it were on disk, so another sync would
 * not write it. Writing and cutting again does. Otherwise a power cut could bring back a record that was cut off.
 */
async function secure(file: JournalFile, { records, end }: ReadRecords, bytes: Buffer): Promise<void> {
  const last = records.at(-1);
  if (last) await writeWhole(file, bytes.subarray(last.start, last.end), last.start);
  await writeWhole(file, Buffer.alloc(1), end);
  await file.truncate(end);
  await file.sync();
}

/** Returns the header with the digests of this version. Throws a JournalError if the journal is that of other content. */
function headerFor(path: string, { origin, base, ...kept }: JournalHeader, content: StartingContent): JournalHeader {
  const named = <Identity extends ContentIdentity>(one: Identity): Identity =>
    one.version === content.earlier ? { ...one, version: content.version } : one;
  const header = { origin: named(origin), base: base.image === null ? named(base) : base, ...kept };
  requireContent(path, header, content);
  return header;
}

function requireContent(path: string, { origin, base }: JournalHeader, content: ContentIdentity): void {
  if ([origin.version, base.version].includes(content.version)) return;
  const describe = ({ epoch, version }: ContentIdentity) => `version ${version} of epoch ${epoch}`;
  const own = isSameContent(origin, base) ? describe(base) : `${describe(base)}, which began as ${describe(origin)}`;
  const advice =
    'With the snapshot before, POST /_reload?changes=replay takes the changes over to another one, and "lectern export" writes both as a new snapshot';
  throw new JournalError(
    `the journal ${path} belongs to ${own}. The content to serve has version ${content.version}. ${advice}`,
  );
}

/** Where a record lies in the file, in bytes, and its last transaction. */
export interface RecordExtent {
  readonly start: number;
  readonly end: number;
  readonly lastSequence: number;
}

export interface ReadRecords {
  readonly records: readonly RecordExtent[];
  readonly transactions: readonly Transaction[];
  /** The offset after the last valid record. Bytes after it are no valid record. */
  readonly end: number;
}

/**
 * Reads the records of a journal from the offset `start`. Throws a JournalDamaged if valid records follow an invalid
 * one or if the transactions are not those of the base, in order, without gaps, each from the content of the one before. A last record that is damaged looks
 * like one that was not written completely.
 */
export function readRecords(path: string, bytes: Buffer, start: number, base: JournalBase): ReadRecords {
  const records: RecordExtent[] = [];
  const transactions: Transaction[] = [];
  let lastSequence = base.sequence;
  let state: string | undefined = base.version;
  let offset = start;
  for (let end = recordEnd(bytes, offset); end !== null; end = recordEnd(bytes, offset)) {
    for (const transaction of decodeRecord(path, bytes, offset, end)) {
      const { epoch, sequence, digests } = transaction;
      if (epoch !== base.epoch || sequence !== lastSequence + 1) {
        const expected = `${base.epoch}-${lastSequence + 1} was expected`;
        throw new JournalDamaged(path, offset, `it holds the transaction ${epoch}-${sequence}, and ${expected}`);
      }
      if (digests && state !== undefined && digests.before !== state) {
        const found = `the transaction ${epoch}-${sequence} applies to the content ${digests.before}`;
        throw new JournalDamaged(path, offset, `${found}, and the one before leads to ${state}`);
      }
      state = digests?.after;
      lastSequence = sequence;
      transactions.push(transaction);
    }
    records.push({ start: offset, end, lastSequence });
    offset = end;
  }
  const next = findRecord(bytes, offset);
  if (next !== null) {
    throw new JournalDamaged(path, offset, `the record there is invalid, and a valid one follows at byte ${next}`);
  }
  return { records, transactions, end: offset };
}

/** The bytes after the last valid record of a journal, which are cut off. */
export interface Cut {
  readonly offset: number;
  readonly bytes: number;
  /**
   * Whether there are as many bytes as the record says. They may be damaged changes that were acknowledged. Otherwise
   * the record was not written to its end, unless its length is damaged.
   */
  readonly isWhole: boolean;
  /** The name of the file beside the journal that keeps the bytes. Null if the disk has no room for half a record. */
  readonly keptIn: string | null;
}

/**
 * Keeps the bytes from `offset` in a file beside the journal, since they may be of use.
 * Rejects with a JournalError if a whole record cannot be kept.
 */
async function keepCut(path: string, bytes: Buffer, offset: number, files: FileLayer): Promise<Cut> {
  const kept = bytes.subarray(offset);
  const isWhole = hasWholeLength(bytes, offset);
  const name = `${cutPrefix(path)}${offset}-${crc32(kept).toString(16)}`;
  const cut = { offset, bytes: kept.length, isWhole };
  try {
    await writeAtomically(join(dirname(path), name), [kept], files);
    return { ...cut, keptIn: name };
  } catch (error) {
    const cause = error as Error;
    if (!isWhole && isOutOfSpace(error)) return { ...cut, keptIn: null };
    const message = `the last record of the journal ${path}, at byte ${offset}, is damaged and cannot be kept in ${name}`;
    throw new JournalError(`${message}: ${cause.message}`, { cause });
  }
}

/** Says what was cut off, for the log and for the terminal. */
export function describeCut({ offset, bytes, isWhole, keptIn }: Cut): string {
  const what = isWhole
    ? 'a damaged record, whose changes may have been acknowledged'
    : 'a record that was not written to its end. Its changes were not acknowledged, unless its length is damaged';
  const where = keptIn === null ? 'There was no room to keep them' : `They are kept beside it in ${keptIn}`;
  return `cut ${bytes} bytes off the end of the journal at byte ${offset}: ${what}. ${where}`;
}

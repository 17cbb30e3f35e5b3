/** The rollback journal beside a SQLite database file. https://www.sqlite.org/fileformat.html#the_rollback_journal */
import { type FileHandle, open } from 'node:fs/promises';
import { writeWhole } from '../../../core/write-file.ts';
import { isPageSize, isSectorSize, openIfExists, readStart } from './file-header.ts';

const journalMagic = Buffer.from('d9d505f920a163d7', 'hex');
const journalHeaderBytes = 28;
/** In place of the number of pages: as many as the file holds. */
const untilEnd = 0xffffffff;

export interface RollbackJournal {
  /** A number that SQLite draws for each transaction. */
  readonly nonce: number;
  /**
   * Whether the transaction may have written to the database file. SQLite writes the magic number at the start of the
   * journal before that, and removes the journal or clears its start to commit.
   */
  readonly isHot: boolean;
}

interface Header extends RollbackJournal {
  readonly recordCount: number;
  /** Pages of the database before the transaction. */
  readonly pageCount: number;
  readonly sectorSize: number;
  readonly pageSize: number;
}

export function journalPath(path: string): string {
  return `${path}-journal`;
}

/**
 * Returns the journal of the transaction that is under way or was cut off. Null if there is none, or a file that SQLite
 * would ignore because of its sizes.
 */
export async function readRollbackJournal(path: string): Promise<RollbackJournal | null> {
  const start = await readStart(journalPath(path), journalHeaderBytes);
  const header = start && parseHeader(start.bytes);
  return header && hasValidSizes(header) && (header.isHot || header.nonce !== 0) ? header : null;
}

function parseHeader(bytes: Buffer): Header | null {
  if (bytes.length < journalHeaderBytes) return null;
  return {
    isHot: bytes.subarray(0, journalMagic.length).equals(journalMagic),
    recordCount: bytes.readUInt32BE(8),
    nonce: bytes.readUInt32BE(12),
    pageCount: bytes.readUInt32BE(16),
    sectorSize: bytes.readUInt32BE(20),
    pageSize: bytes.readUInt32BE(24),
  };
}

/**
 * Pages may have another size than the header of the database says: while VACUUM changes the size, the file has the new
 * one and the journal the old one.
 */
function hasValidSizes({ pageSize, sectorSize }: Header): boolean {
  return isPageSize(pageSize) && isSectorSize(sectorSize);
}

/**
 * Writes the original pages in the journal to a copy of the database file, which undoes the transaction. Does it as
 * SQLite does, which cannot do it with every driver. Writes nothing if the journal is gone.
 */
export async function applyJournal(path: string, copy: string): Promise<void> {
  const journal = await openIfExists(journalPath(path));
  if (!journal) return;
  try {
    const target = await open(copy, 'r+');
    try {
      await restorePages(journal, target);
    } finally {
      await target.close();
    }
  } finally {
    await journal.close();
  }
}

/** A journal has a header with its pages for each time that SQLite put it on disk. */
async function restorePages(journal: FileHandle, target: FileHandle): Promise<void> {
  const { size } = await journal.stat();
  let first: Header | null = null;
  for (let offset = 0; ; ) {
    const header = await readHeader(journal, offset);
    if (!header?.isHot) break;
    // SQLite reads the sizes of the first header only
    if (!first && !hasValidSizes(header)) break;
    first ??= header;
    const { pageCount, pageSize, sectorSize } = first;
    const recordBytes = pageSize + 8;
    const start = offset + sectorSize;
    const { nonce, recordCount } = header;
    const count = recordCount === untilEnd ? Math.floor((size - start) / recordBytes) : recordCount;
    const record = Buffer.alloc(recordBytes);
    let i = 0;
    for (; i < count; i++) {
      const { bytesRead } = await journal.read(record, 0, recordBytes, start + i * recordBytes);
      const page = record.subarray(4, 4 + pageSize);
      if (bytesRead < recordBytes || record.readUInt32BE(4 + pageSize) !== checksumOf(page, nonce)) break;
      const number = record.readUInt32BE(0);
      if (number > 0 && number <= pageCount) await writeWhole(target, page, (number - 1) * pageSize);
    }
    // SQLite ends the rollback here, too: the rest was never on disk, or is of an earlier transaction
    if (i < count) break;
    offset = Math.ceil((start + count * recordBytes) / sectorSize) * sectorSize;
  }
  if (first) await target.truncate(first.pageCount * first.pageSize);
}

async function readHeader(journal: FileHandle, offset: number): Promise<Header | null> {
  const { buffer, bytesRead } = await journal.read(Buffer.alloc(journalHeaderBytes), 0, journalHeaderBytes, offset);
  return parseHeader(buffer.subarray(0, bytesRead));
}

/** The checksum of a page is the nonce and every 200th byte, counted from the end. */
function checksumOf(page: Buffer, nonce: number): number {
  let sum = nonce;
  for (let i = page.length - 200; i > 0; i -= 200) sum += page[i];
  return sum >>> 0;
}

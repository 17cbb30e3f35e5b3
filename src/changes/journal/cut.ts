import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeAtomically } from '../../core/write-file.ts';
import { isOutOfSpace, JournalError } from './errors.ts';
import type { FileLayer } from './file-layer.ts';
import { hasWholeLength } from './format.ts';
import { cutPrefix } from './images.ts';

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
 * Keeps the bytes from `offset` in a file beside the journal, since nobody can say for sure that they are worthless.
 * Rejects with a JournalError if a whole record cannot be kept.
 */
export async function keepCut(path: string, bytes: Buffer, offset: number, files: FileLayer): Promise<Cut> {
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

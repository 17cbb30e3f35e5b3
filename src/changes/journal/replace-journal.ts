import { dirname } from 'node:path';
import { runAtOnce, runInTurns } from '../../core/steps.ts';
import { writeAtomically } from '../../core/write-file.ts';
import { JournalDamaged } from './errors.ts';
import { type FileLayer, type JournalFile, readRange } from './file-layer.ts';
import {
  decodeRecord,
  encodeHeader,
  encodeRecordInSteps,
  type JournalBase,
  type JournalHeader,
  recordEnd,
  type Transaction,
} from './format.ts';
import { imageName } from './images.ts';
import type { RecordExtent } from './recover.ts';

/** What a rotation has put in place: the open file and where its records lie. */
export interface Replacement {
  readonly file: JournalFile;
  readonly records: RecordExtent[];
  readonly end: number;
}

/**
 * Replaces the journal at `path` by one that has `header` and the transactions after `after` of the open `file`, and then
 * those of `added`, each in a record of its own.
 */
export async function replaceJournal(
  path: string,
  header: JournalHeader,
  file: JournalFile,
  records: readonly RecordExtent[],
  after: number,
  added: readonly Transaction[],
  files: FileLayer,
): Promise<Replacement> {
  const pieces = [encodeHeader(header)];
  const kept: RecordExtent[] = [];
  let end = pieces[0].length;
  for (const [i, { start, end: oldEnd, lastSequence }] of records.entries()) {
    if (lastSequence <= after) continue;
    const bytes = await readRange(file, start, oldEnd);
    // without this, a record that was damaged on disk would get a valid checksum
    if (recordEnd(bytes, 0) !== oldEnd - start) throw new JournalDamaged(path, start, 'the record there is invalid');
    const isWhole = i > 0 && records[i - 1].lastSequence >= after;
    const piece = isWhole ? bytes : laterTransactions(path, bytes, after);
    pieces.push(piece);
    kept.push({ start: end, end: end + piece.length, lastSequence });
    end += piece.length;
  }
  for (const transaction of added) {
    const piece = await runInTurns(encodeRecordInSteps([transaction]));
    pieces.push(piece);
    kept.push({ start: end, end: end + piece.length, lastSequence: transaction.sequence });
    end += piece.length;
  }
  await writeAtomically(path, pieces, files);
  return { file: await files.open(path, 'r+'), records: kept, end };
}

/** Returns a record with the transactions of a record after number `after`. */
function laterTransactions(path: string, bytes: Buffer, after: number): Buffer {
  const transactions = decodeRecord(path, bytes, 0, bytes.length);
  const later = transactions.filter(({ sequence }) => sequence > after);
  return runAtOnce(encodeRecordInSteps(later));
}

/** Whether the file at `path` still has this header. False if that cannot be found out. */
export async function hasHeader(path: string, header: JournalHeader, files: FileLayer): Promise<boolean> {
  try {
    const expected = encodeHeader(header);
    const file = await files.open(path, 'r');
    try {
      return expected.equals(await readRange(file, 0, expected.length));
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

/** Throws if a journal whose last transaction is `last` cannot go on with `base`, which includes those up to `after`. */
export async function requireNextBase(
  path: string,
  old: JournalBase,
  last: number,
  { base, after, files }: { base: JournalBase; after: number; files: FileLayer },
): Promise<void> {
  const isSameEpoch = base.epoch === old.epoch;
  const isInRange = after >= old.sequence && after <= last;
  if (!isInRange || (isSameEpoch ? base.sequence !== after : after !== last)) {
    const state = `the journal of epoch ${old.epoch} holds transactions ${old.sequence + 1} to ${last}`;
    throw new Error(`cannot rotate to ${base.epoch}-${base.sequence} after transaction ${after}: ${state}`);
  }
  if (base.image === null && !isSameEpoch) return;
  const expected = imageName(path, base);
  if (base.image !== expected) throw new Error(`the image of the new base is ${base.image}, expected ${expected}`);
  if (!(await files.readdir(dirname(path))).includes(expected)) throw new Error(`the image ${expected} is missing`);
}

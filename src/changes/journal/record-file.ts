import { dirname } from 'node:path';
import { runAtOnce, runInTurns } from '../../core/steps.ts';
import { writeAtomically, writeWhole } from '../../core/write-file.ts';
import { isOutOfSpace, JournalDamaged, JournalError, JournalFull } from './errors.ts';
import { type FileLayer, type JournalFile, readRange } from './file-layer.ts';
import {
  decodeRecord,
  encodeHeader,
  encodeRecordInSteps,
  encodeTransaction,
  isSameContent,
  type JournalBase,
  type JournalHeader,
  recordEnd,
} from './format.ts';
import { imageName, removeLeftovers } from './images.ts';
import type { RecordExtent, Recovered } from './recover.ts';

/** The open file of a journal. Its methods are called one after another, and none after `failure` is set. */
export class RecordFile {
  readonly #path: string;
  readonly #files: FileLayer;
  /** The version of the content that was given when the journal was opened, or with which a later epoch began. */
  #given: string;
  #file: JournalFile;
  #header: JournalHeader;
  #records: RecordExtent[];
  #end: number;
  #sequence: number;
  #failure: JournalError | null = null;

  constructor(path: string, files: FileLayer, given: string, { file, header, records, end }: Recovered) {
    this.#path = path;
    this.#files = files;
    this.#given = given;
    this.#file = file;
    this.#header = header;
    this.#records = [...records];
    this.#end = end;
    this.#sequence = records.at(-1)?.lastSequence ?? header.base.sequence;
  }

  get base(): JournalBase {
    return this.#header.base;
  }

  /** As it was given to the last rotation. */
  get kept(): unknown {
    return this.#header.kept;
  }

  /** The last transaction that is on disk. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Bytes that are on disk. */
  get bytes(): number {
    return this.#end;
  }

  /** Those of the transactions. */
  get recordBytes(): number {
    return this.#end - (this.#records[0]?.start ?? this.#end);
  }

  /** Why the file accepts no more. */
  get failure(): JournalError | null {
    return this.#failure;
  }

  /**
   * Writes a record of encoded transactions and syncs it. If that fails, the file is cut where it was. Rejects with a
   * JournalFull if there was no room to write, and fails for good otherwise: after a failed sync nobody knows what is on
   * disk, and another sync may succeed without writing it.
   */
  async write(transactions: readonly string[], lastSequence: number): Promise<void> {
    let isWritten = false;
    try {
      const record = await runInTurns(encodeRecordInSteps(transactions));
      await writeWhole(this.#file, record, this.#end);
      isWritten = true;
      await this.#file.datasync();
      this.#records.push({ start: this.#end, end: this.#end + record.length, lastSequence });
      this.#end += record.length;
      this.#sequence = lastSequence;
    } catch (error) {
      const cause = error as Error;
      const isCut = await this.#cut();
      if (isCut && !isWritten && isOutOfSpace(cause)) {
        throw new JournalFull(`no room for the journal ${this.#path}: ${cause.message}`, { cause });
      }
      this.#fail(cause);
      const kept = isCut ? 'are not kept' : 'may be kept, as the end of the file could not be cut';
      const message = `writing the journal ${this.#path} failed: ${cause.message}. The transactions ${kept}`;
      throw new JournalError(message, { cause, mayBeKept: !isCut });
    }
  }

  async #cut(): Promise<boolean> {
    try {
      await this.#file.truncate(this.#end);
      await this.#file.sync();
      return true;
    } catch {
      return false;
    }
  }

  #fail(cause: Error): void {
    const message = `the journal ${this.#path} accepts no more until it is opened again, since it failed: ${cause.message}`;
    this.#failure = new JournalError(message, { cause });
  }

  /** Replaces the file by one for `base`, with the transactions after `after`. See `Journal.rotate`. */
  async rotate(base: JournalBase, after: number, kept?: unknown): Promise<void> {
    const old = this.#header;
    await requireNextBase(this.#path, old.base, this.#sequence, { base, after, files: this.#files });
    // equal headers would not tell a failed replacement from one that was done
    if (isSameContent(base, old.base) && base.image === old.base.image) return;
    const isNewEpoch = base.epoch !== old.base.epoch;
    // the next start is given the same content as this one
    const header = { origin: isNewEpoch ? base : { ...old.origin, version: this.#given }, base, kept };
    const { file, records, end } = await this.#replace(header, after);
    // what fails to close or to be removed costs a descriptor or space, no transaction
    await this.#file.close().catch(() => {});
    this.#file = file;
    this.#header = header;
    this.#records = records;
    this.#end = end;
    if (isNewEpoch) {
      this.#sequence = base.sequence;
      this.#given = base.version;
    }
    await this.removeLeftovers();
  }

  /** Fails for good if the new file may be in place: the open file would then be one without a name. */
  async #replace(header: JournalHeader, after: number): Promise<Replacement> {
    try {
      return await replaceJournal(this.#path, header, this.#file, this.#records, after, this.#files);
    } catch (error) {
      const cause = error as Error;
      if (!(await hasHeader(this.#path, this.#header, this.#files))) {
        this.#fail(cause);
        throw this.#failure;
      }
      await this.removeLeftovers();
      if (!isOutOfSpace(cause)) throw cause;
      throw new JournalFull(`no room to rotate the journal ${this.#path}: ${cause.message}`, { cause });
    }
  }

  /** Removes what a rotation that failed has left. If that fails, the next rotation or `open` tries again. */
  async removeLeftovers(): Promise<void> {
    // the file in place may be one that names another image
    if (this.#failure) return;
    await removeLeftovers(this.#path, this.base.image, this.#files).catch(() => {});
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

interface Replacement {
  readonly file: JournalFile;
  readonly records: RecordExtent[];
  readonly end: number;
}

/** Replaces the journal at `path` by one that has `header` and the transactions after `after` of the open `file`. */
async function replaceJournal(
  path: string,
  header: JournalHeader,
  file: JournalFile,
  records: readonly RecordExtent[],
  after: number,
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
  await writeAtomically(path, pieces, files);
  return { file: await files.open(path, 'r+'), records: kept, end };
}

/** Returns a record of the transactions of a record that come after one of them. */
function laterTransactions(path: string, bytes: Buffer, after: number): Buffer {
  const transactions = decodeRecord(path, bytes, 0, bytes.length);
  const later = transactions.filter(({ sequence }) => sequence > after);
  return runAtOnce(encodeRecordInSteps(later.map(encodeTransaction)));
}

/** Whether the file at `path` still has this header. False if that cannot be found out. */
async function hasHeader(path: string, header: JournalHeader, files: FileLayer): Promise<boolean> {
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
async function requireNextBase(
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

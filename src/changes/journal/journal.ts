import { dirname, join } from 'node:path';
import { SerialQueue } from '../../core/serial-queue.ts';
import { runInTurns } from '../../core/steps.ts';
import { writeAtomically, writeWhole } from '../../core/write-file.ts';
import { isOutOfSpace, JournalDamaged, JournalError, JournalFull } from './errors.ts';
import { type FileLayer, type JournalFile, nodeFiles, readRange } from './file-layer.ts';
import {
  decodeRecord,
  encodeRecordInSteps,
  isSameContent,
  type JournalBase,
  type JournalHeader,
  recordEnd,
  type StartingContent,
  type Transaction,
} from './format.ts';
import { imageName, removeLeftovers } from './images.ts';
import { type Cut, type RecordExtent, type Recovered, recover } from './recover.ts';
import { hasHeader, type Replacement, replaceJournal, requireNextBase } from './replace-journal.ts';

export interface JournalOptions {
  /** The content that is served. A journal of another version is refused. A new journal begins with it. */
  readonly base: StartingContent;
  readonly files?: FileLayer;
}

export interface OpenedJournal {
  readonly journal: Journal;
  /** All transactions after the base, in order. */
  readonly transactions: readonly Transaction[];
  /** What was cut off the end, because it is no valid record. */
  readonly cut: Cut | null;
}

/**
 * A file of transactions on disk (`format.ts`), which one process has at a time. Transactions are appended to the base,
 * the content that an image beside the file holds, or with which the journal began. Methods run one after another, in the
 * order of the calls.
 *
 * - An append that resolved survives a crash, and no earlier one is missing then.
 * - An append is kept whole or not at all. An append that a crash interrupts may be kept.
 * - An append that rejected is not kept, unless the error has `mayBeKept` because the file could not be cut either. The
 *   next `open` finds out.
 *
 * Methods throw an Error after `close`.
 */
export class Journal {
  readonly path: string;
  readonly #files: FileLayer;
  readonly #unlock: () => Promise<void>;
  readonly #tasks = new SerialQueue();
  #given: string;
  #file: JournalFile;
  #header: JournalHeader;
  #records: RecordExtent[];
  #end: number;
  #sequence: number;
  #failure: JournalError | null = null;
  /** Why the owner lets the journal accept no more. */
  #refusal: JournalError | null = null;
  #isClosed = false;

  /**
   * Opens the journal at `path`, or creates it. Rejects with a JournalError if another process has
   * it or if it belongs to another content, with a JournalDamaged if its content is wrong, and with a system error. The
   * transactions are to be applied to `journal.base`: to its image, or if that is null to the given content. Only this
   * image matters; others of this journal are removed.
   */
  static async open(path: string, { base, files = nodeFiles }: JournalOptions): Promise<OpenedJournal> {
    const unlock = await files.lock(`${path}.lock`);
    try {
      const recovered = await recover(path, base, files);
      const { transactions, cut } = recovered;
      return { journal: new Journal(path, unlock, files, base.version, recovered), transactions, cut };
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  private constructor(
    path: string,
    unlock: () => Promise<void>,
    files: FileLayer,
    given: string,
    { file, header, records, end }: Recovered,
  ) {
    this.path = path;
    this.#unlock = unlock;
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

  /** The version of the content that was given when the journal was opened, or with which a later epoch began. */
  get given(): string {
    return this.#given;
  }

  /** What the owner gave to the last rotation to keep; undefined if it gave nothing. */
  get kept(): unknown {
    return this.#header.kept;
  }

  /** The last transaction that is on disk. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Why the journal accepts no more until it is opened again, or null. */
  get failure(): string | null {
    return (this.#refusal ?? this.#failure)?.message ?? null;
  }

  /** Bytes of the file. */
  get bytes(): number {
    return this.#end;
  }

  /** Bytes of the transactions, by which the caller decides when to rotate. */
  get recordBytes(): number {
    return this.#end - (this.#records[0]?.start ?? this.#end);
  }

  /** Returns the path of the image of a base with this version. */
  imagePath(version: { readonly epoch: number; readonly sequence: number }): string {
    return join(dirname(this.path), imageName(this.path, version));
  }

  /**
   * Writes transactions as one record, and resolves when they are on disk. Rejects with an Error if they do not
   * continue the last transaction on disk, with a RangeError if they do not fit into a record, with a JournalFull if
   * the disk is full, and with a JournalError if the journal has failed.
   */
  append(transactions: readonly Transaction[]): Promise<void> {
    return this.#run(() => this.#append(transactions));
  }

  /**
   * Starts a new journal for `base`, a content that includes the transactions up to `after`. Later ones are taken over.
   * The image of `base` is on disk beside the journal. Of another epoch, `after` has to be the last transaction. `kept`
   * is JSON that stays with the base. `added` are the first transactions of another epoch. After a crash, the old or the new journal is there, each with its image: the new
   * journal replaces the old one in one rename, and the image of the old one is removed when the rename is on disk.
   * `open` removes the image that no journal names. Rejects with a JournalFull or a system error if the old journal
   * goes on.
   */
  rotate(base: JournalBase, after: number, kept?: unknown, added: readonly Transaction[] = []): Promise<void> {
    return this.#run(() => this.#rotate(base, after, kept, added));
  }

  /** Returns all transactions after the base, in order. Rejects with a JournalDamaged, and with a system error. */
  async transactions(): Promise<Transaction[]> {
    const found: Transaction[] = [];
    await this.#run(async () => {
      for (const { start, end } of this.#records) {
        const bytes = await readRange(this.#file, start, end);
        if (recordEnd(bytes, 0) !== end - start) {
          throw new JournalDamaged(this.path, start, 'the record there is invalid');
        }
        found.push(...decodeRecord(this.path, bytes, 0, bytes.length));
      }
    });
    return found;
  }

  /** Writes a file beside the journal, whose name is that of the journal with a suffix, and puts it on disk. */
  writeBeside(suffix: string, pieces: Iterable<Uint8Array>): Promise<void> {
    return this.#run(() => writeAtomically(`${this.path}${suffix}`, pieces, this.#files));
  }

  /** Accepts no more transactions, until a new epoch begins or the journal is opened again. */
  refuse(error: JournalError): void {
    this.#refusal = error;
  }

  /** Removes images that the journal does not name, and files that were not written to their end. */
  removeLeftovers(): Promise<void> {
    return this.#run(() => this.#removeLeftovers());
  }

  /** Closes the file and unlocks it, after the calls before. */
  async close(): Promise<void> {
    const closed = this.#run(() => this.#file.close());
    this.#isClosed = true;
    try {
      await closed;
    } finally {
      await this.#unlock();
    }
  }

  #run(task: () => Promise<void>): Promise<void> {
    if (this.#isClosed) throw new Error(`the journal ${this.path} is closed`);
    return this.#tasks.run(task);
  }

  /** Throws a JournalError if the journal accepts no more transactions. */
  requireWorking(): void {
    const failure = this.#refusal ?? this.#failure;
    if (failure) throw failure;
  }

  async #append(transactions: readonly Transaction[]): Promise<void> {
    this.requireWorking();
    requireSequence(transactions, { epoch: this.base.epoch, sequence: this.#sequence });
    if (transactions.length === 0) return;
    const last = this.#sequence + transactions.length;
    const record = await runInTurns(encodeRecordInSteps(transactions));
    await this.#write(record);
    this.#records.push({ start: this.#end, end: this.#end + record.length, lastSequence: last });
    this.#end += record.length;
    this.#sequence = last;
  }

  /**
   * Writes a record and syncs it. If that fails, the file is cut where it was. Fails for good unless there was no room
   * to write: after a failed sync nobody knows what is on disk, and another sync may succeed without writing it.
   */
  async #write(record: Buffer): Promise<void> {
    let isWritten = false;
    try {
      await writeWhole(this.#file, record, this.#end);
      isWritten = true;
      await this.#file.datasync();
    } catch (error) {
      const cause = error as Error;
      const isCut = await this.#cut();
      if (isCut && !isWritten && isOutOfSpace(cause)) {
        throw new JournalFull(`no room for the journal ${this.path}: ${cause.message}`, { cause });
      }
      this.#fail(cause);
      const kept = isCut ? 'are not kept' : 'may be kept, as the end of the file could not be cut';
      const message = `writing the journal ${this.path} failed: ${cause.message}. The transactions ${kept}`;
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

  #fail(cause: Error): JournalError {
    const message = `the journal ${this.path} accepts no more until it is opened again, since it failed: ${cause.message}`;
    this.#failure = new JournalError(message, { cause });
    return this.#failure;
  }

  async #rotate(base: JournalBase, after: number, kept: unknown, added: readonly Transaction[]): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (base.epoch === this.base.epoch && added.length > 0)
      throw new Error('only another epoch begins with transactions');
    requireSequence(added, base);
    const old = this.#header;
    await requireNextBase(this.path, old.base, this.#sequence, { base, after, files: this.#files });
    // equal headers would not tell a failed replacement from one that was done
    if (isSameContent(base, old.base) && base.image === old.base.image) return;
    const isNewEpoch = base.epoch !== old.base.epoch;
    const isGiven = isNewEpoch && base.image === null;
    // the next start is given the same content as this one
    const header = { origin: isGiven ? base : { ...old.origin, version: this.#given }, base, kept };
    const { file, records, end } = await this.#replace(header, after, added);
    // a file that cannot be closed costs a descriptor, and no transaction
    await this.#file.close().catch(() => {});
    this.#file = file;
    this.#header = header;
    this.#records = records;
    this.#end = end;
    if (isNewEpoch) {
      this.#sequence = added.at(-1)?.sequence ?? base.sequence;
      if (isGiven) this.#given = base.version;
      this.#refusal = null;
    }
    await this.#removeLeftovers();
  }

  /** Fails for good if the new file may be in place: the open file would then have no name. */
  async #replace(header: JournalHeader, after: number, added: readonly Transaction[]): Promise<Replacement> {
    try {
      return await replaceJournal(this.path, header, this.#file, this.#records, after, added, this.#files);
    } catch (error) {
      const cause = error as Error;
      if (!(await hasHeader(this.path, this.#header, this.#files))) throw this.#fail(cause);
      await this.#removeLeftovers();
      if (!isOutOfSpace(cause)) throw cause;
      throw new JournalFull(`no room to rotate the journal ${this.path}: ${cause.message}`, { cause });
    }
  }

  /** Removes what a failed rotation has left. If that fails, the next rotation or `open` tries again. */
  async #removeLeftovers(): Promise<void> {
    // the file in place may name another image
    if (this.#failure) return;
    await removeLeftovers(this.path, this.base.image, this.#files).catch(() => {});
  }
}

/** Throws an Error if transactions do not follow a version without gaps. */
function requireSequence(
  transactions: readonly Transaction[],
  { epoch, sequence: first }: Pick<JournalBase, 'epoch' | 'sequence'>,
): void {
  for (const [i, transaction] of transactions.entries()) {
    const sequence = first + i + 1;
    if (transaction.epoch === epoch && transaction.sequence === sequence) continue;
    const found = `${transaction.epoch}-${transaction.sequence}`;
    throw new Error(`appended transaction ${found}, expected ${epoch}-${sequence}`);
  }
}

import { SerialQueue } from '../../core/serial-queue.ts';
import { AppendQueue } from './append-queue.ts';
import { JournalError } from './errors.ts';
import { type FileLayer, nodeFiles } from './file-layer.ts';
import type { ContentIdentity, JournalBase, Transaction } from './format.ts';
import { RecordFile } from './record-file.ts';
import { type Cut, recover } from './recover.ts';

export interface JournalOptions {
  /** The content that is served. A journal of another version is refused. A new journal gets the epoch. */
  readonly base: ContentIdentity;
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
 * the content that an image beside the file holds, or with which the journal began.
 *
 * - An append that resolved survives a crash, and no earlier one is missing then.
 * - An append is kept whole or not at all. One that was under way in a crash may be kept.
 * - An append that rejected is not kept, unless the error has `mayBeKept` because the file could not be cut either. The
 *   next `open` finds out.
 *
 * Methods throw an Error for transactions out of sequence, and after `close`.
 */
export class Journal {
  readonly #path: string;
  readonly #unlock: () => Promise<void>;
  readonly #file: RecordFile;
  readonly #queue: AppendQueue;
  /** Writes and rotations, one after another. */
  readonly #tasks = new SerialQueue();
  #isClosed = false;

  /**
   * Opens the journal at `path`, or creates it with the sequence 0. Rejects with a JournalError if another process has it
   * or if it belongs to another content, with a JournalDamaged if its content is wrong, and with a system error.
   *
   * The transactions are to be applied to `journal.base`: to its image, or if that is null to the given content. Only
   * this image matters; others of this journal are removed.
   */
  static async open(path: string, { base, files = nodeFiles }: JournalOptions): Promise<OpenedJournal> {
    const unlock = await files.lock(`${path}.lock`);
    try {
      const recovered = await recover(path, base, files);
      const { transactions, cut } = recovered;
      return {
        journal: new Journal(path, unlock, new RecordFile(path, files, base.version, recovered)),
        transactions,
        cut,
      };
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  private constructor(path: string, unlock: () => Promise<void>, file: RecordFile) {
    this.#path = path;
    this.#unlock = unlock;
    this.#file = file;
    this.#queue = new AppendQueue(file.base.epoch, file.sequence);
  }

  get base(): JournalBase {
    return this.#file.base;
  }

  /** What the owner gave to the last rotation to keep; undefined if it gave nothing. */
  get kept(): unknown {
    return this.#file.kept;
  }

  /** The last transaction that is on disk. */
  get sequence(): number {
    return this.#file.sequence;
  }

  /**
   * The sequence with which the next append begins. A rejected append lowers it before its caller learns that, so read it
   * here instead of counting.
   */
  get nextSequence(): number {
    return this.#queue.lastSequence + 1;
  }

  /** Why the journal accepts no more until it is opened again, or null. */
  get failure(): string | null {
    return this.#file.failure?.message ?? null;
  }

  /** Bytes of the file. */
  get bytes(): number {
    return this.#file.bytes;
  }

  /** Bytes of the transactions, by which the caller decides when to rotate. */
  get recordBytes(): number {
    return this.#file.recordBytes;
  }

  /**
   * Writes transactions and resolves when they are on disk. Appends that arrive during a sync share the next one. The
   * caller limits how many wait. If one fails, those after it are rejected, too. Rejects with a JournalFull if the disk is full, and with a JournalError if the journal has failed.
   */
  append(transactions: readonly Transaction[]): Promise<void> {
    this.#requireOpen();
    if (this.#file.failure) return Promise.reject(this.#file.failure);
    if (transactions.length === 0) return Promise.resolve();
    const isFirst = this.#queue.isEmpty;
    const appended = this.#queue.add(transactions);
    if (isFirst) this.#tasks.run(() => this.#writeGroup());
    return appended;
  }

  /**
   * Starts a new journal for `base`, a content that includes the transactions up to `after`. Later ones are taken over.
   * The image of `base` is on disk beside the journal. Of another epoch, `after` has to be the last transaction. `kept`
   * is JSON that stays with the base.
   *
   * After a crash, the old or the new journal is there, each with its image: the new journal replaces the old one in one
   * rename, and the image of the old one is removed when the rename is on disk. `open` removes the image that no journal
   * names. Rejects with a JournalFull or a system error if the old journal goes on.
   */
  rotate(base: JournalBase, after: number, kept?: unknown): Promise<void> {
    this.#requireOpen();
    return this.#tasks.run(() => this.#rotate(base, after, kept));
  }

  /** Removes images that the journal does not name, and files that were not written to their end. */
  removeLeftovers(): Promise<void> {
    this.#requireOpen();
    return this.#tasks.run(() => this.#file.removeLeftovers());
  }

  /** Writes what was appended before, then closes the file and unlocks it. */
  async close(): Promise<void> {
    this.#requireOpen();
    this.#isClosed = true;
    try {
      await this.#tasks.run(async () => {
        while (!this.#queue.isEmpty) await this.#writeGroup();
        await this.#file.close();
      });
    } finally {
      await this.#unlock();
    }
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error(`the journal ${this.#path} is closed`);
  }

  /** Writes what waits as one record. What does not fit goes to the end of the line, after a rotation that waits. */
  async #writeGroup(): Promise<void> {
    const group = this.#queue.takeGroup();
    if (group.length === 0) return;
    if (!this.#queue.isEmpty) this.#tasks.run(() => this.#writeGroup());
    try {
      await this.#file.write(
        group.map(({ json }) => json),
        group[group.length - 1].lastSequence,
      );
    } catch (error) {
      for (const append of group) append.reject(error as Error);
      this.#rejectWaiting(this.#file.failure ?? (error as Error));
      return;
    }
    for (const append of group) append.resolve();
  }

  async #rotate(base: JournalBase, after: number, kept: unknown): Promise<void> {
    if (this.#file.failure) throw this.#file.failure;
    const { epoch } = this.base;
    if (base.epoch !== epoch && !this.#queue.isEmpty) {
      throw new Error(`cannot begin epoch ${base.epoch} while transactions of epoch ${epoch} wait`);
    }
    try {
      await this.#file.rotate(base, after, kept);
    } finally {
      if (this.#file.failure) this.#rejectWaiting(this.#file.failure);
      else if (this.base.epoch !== epoch) this.#rejectWaiting(new JournalError(`epoch ${epoch} has ended`));
    }
  }

  /** The next transaction follows the last one on disk. */
  #rejectWaiting(error: Error): void {
    for (const append of this.#queue.reset(this.base.epoch, this.sequence)) append.reject(error);
  }
}

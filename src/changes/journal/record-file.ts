import { runInTurns } from '../../core/steps.ts';
import { writeWhole } from '../../core/write-file.ts';
import { isOutOfSpace, JournalError, JournalFull } from './errors.ts';
import type { FileLayer, JournalFile } from './file-layer.ts';
import { encodeRecordInSteps, isSameContent, type JournalBase, type JournalHeader } from './format.ts';
import { removeLeftovers } from './images.ts';
import type { RecordExtent, Recovered } from './recover.ts';
import { hasHeader, type Replacement, replaceJournal, requireNextBase } from './replace-journal.ts';

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

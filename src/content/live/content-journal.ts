import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Batch } from '../../changes/batch/batch.ts';
import { JournalError, JournalFull } from '../../changes/journal/errors.ts';
import type { FileLayer } from '../../changes/journal/file-layer.ts';
import type { JournalBase, Transaction } from '../../changes/journal/format.ts';
import { imageName } from '../../changes/journal/images.ts';
import { Journal, type OpenedJournal } from '../../changes/journal/journal.ts';
import { describeProblem } from '../../core/describe-problem.ts';
import { RequestError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { type ContentVersion, firstVersion } from '../../store/content-version.ts';
import type { AnsweredRequest, ChangeAnswer, RequestKey } from './change-request.ts';

const answer = z.custom<ChangeAnswer>(isPlainObject, 'must be an answer');

/** What the journal keeps of a request with an `Idempotency-Key`. */
const keptAnswer = z.object({ digest: z.string(), answer });
type KeptAnswer = z.infer<typeof keptAnswer>;

/** What the journal keeps with its base: the requests with a key that were answered before, the oldest first. */
const keptWithBase = z.object({
  answered: z.array(z.object({ key: z.object({ key: z.string(), digest: z.string() }), answer })),
});
type KeptWithBase = z.infer<typeof keptWithBase>;

export interface OpenedContentJournal {
  readonly journal: ContentJournal;
  /** The changes since its base, in order. */
  readonly batches: readonly Batch[];
  /** The oldest first. */
  readonly answered: readonly AnsweredRequest[];
  readonly cut: OpenedJournal['cut'];
}

/** A change that the journal keeps. */
type KeptChange = Pick<Transaction, 'epoch' | 'sequence' | 'previous' | 'changes'>;

/**
 * Returns the version by which a journal names a content: the digest of its rows, and the beginning of one of what changes
 * can reach besides.
 */
export function journalVersion({ store, roles, emailConfirmation, blockedUsers }: LoadedSnapshot): string {
  const access = hash('sha256', JSON.stringify([roles, emailConfirmation, [...blockedUsers].sort()]));
  return `${store.contentDigest}-${access.slice(0, 8)}`;
}

/** The journal of a content. */
export class ContentJournal {
  readonly path: string;
  readonly #journal: Journal;
  /** The snapshot to which the changes apply. */
  #given: string;
  /** A kept change that is not served. Null if all are. */
  #unserved: JournalError | null = null;

  /** Opens the journal at `path`, or creates it for this snapshot. Rejects as `Journal.open` does. */
  static async open(path: string, given: LoadedSnapshot, files?: FileLayer): Promise<OpenedContentJournal> {
    const { epoch } = given.version ?? firstVersion();
    const version = journalVersion(given);
    const { journal, transactions, cut } = await Journal.open(path, { base: { epoch, version }, files });
    try {
      // applying them validates them
      const batches = transactions.map(({ changes }) => changes as Batch);
      const answered = [...answeredBefore(path, journal.kept), ...transactions.flatMap((one) => answeredIn(path, one))];
      return { journal: new ContentJournal(path, journal, version), batches, answered, cut };
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  private constructor(path: string, journal: Journal, given: string) {
    this.path = path;
    this.#journal = journal;
    this.#given = given;
  }

  get base(): JournalBase {
    return this.#journal.base;
  }

  /** Why it accepts no more batches, or null. */
  get failure(): string | null {
    return this.#unserved?.message ?? this.#journal.failure;
  }

  get bytes(): number {
    return this.#journal.bytes;
  }

  /** Bytes of the changes since its base. */
  get changedBytes(): number {
    return this.#journal.recordBytes;
  }

  /** The number of changes since its base. */
  get batchCount(): number {
    return this.#journal.sequence - this.#journal.base.sequence;
  }

  /** Whether the changes apply to a snapshot. */
  belongsTo(loaded: LoadedSnapshot): boolean {
    return journalVersion(loaded) === this.#given;
  }

  /**
   * Resolves when the change is on disk. Rejects with a RequestError: 507 if the disk is full, 413 for a change that does
   * not fit in a record, otherwise 503.
   */
  async append(change: KeptChange, key: RequestKey | null, answer: ChangeAnswer): Promise<void> {
    const kept = key && { idempotencyKey: key.key, answer: { digest: key.digest, answer } satisfies KeptAnswer };
    try {
      if (this.#unserved) throw this.#unserved;
      await this.#journal.append([{ ...change, ...kept }]);
    } catch (error) {
      throw this.#asRequestError(error);
    }
  }

  /**
   * Accepts no more changes until the journal is opened again, because the last one is kept and cannot be served. Returns
   * the error for its request.
   */
  refuseAfter(version: string, { message }: Error): RequestError {
    const reason = `the journal ${this.path} holds the batch ${version}, which could not be served: ${message}. A restart tries it again. POST /_reload?changes=discard serves the snapshot without the changes of the journal`;
    this.#unserved = new JournalError(reason);
    return unavailable(`The changes are kept, but not served: ${reason}`);
  }

  #asRequestError(error: unknown): unknown {
    if (error instanceof RangeError) return new RequestError(413, 'PayloadTooLargeError', error.message);
    if (!(error instanceof JournalError)) return error;
    if (error instanceof JournalFull) {
      return new RequestError(507, 'InsufficientStorageError', `The changes are not applied: ${error.message}`);
    }
    const outcome = error.mayBeKept ? 'are not served, but may appear after a restart' : 'are not applied';
    return unavailable(`The changes ${outcome}: ${error.message}`);
  }

  /** Begins a new epoch with another snapshot. The changes are removed. */
  async restart(loaded: LoadedSnapshot, epoch: number, answered: readonly AnsweredRequest[]): Promise<void> {
    const kept: KeptWithBase = { answered: [...answered] };
    const version = journalVersion(loaded);
    await this.#journal.rotate({ epoch, version, sequence: 0, image: null }, this.#journal.sequence, kept);
    this.#given = version;
    this.#unserved = null;
  }

  /** Returns the path of the image of the content that has this version. */
  imageOf(version: ContentVersion): string {
    return join(dirname(this.path), imageName(this.path, version));
  }

  /**
   * Begins anew after the image of a content of the same epoch, which is on disk. Changes that came later stay.
   * `answered` are the requests with a key that the content includes. Rejects as `Journal.rotate` does.
   */
  async rotate(loaded: LoadedSnapshot, version: ContentVersion, answered: readonly AnsweredRequest[]): Promise<void> {
    const base = { ...version, version: journalVersion(loaded), image: imageName(this.path, version) };
    const kept: KeptWithBase = { answered: [...answered] };
    await this.#journal.rotate(base, version.sequence, kept);
  }

  /** Removes images that the journal does not name, and images that were not written to their end. */
  removeLeftovers(): Promise<void> {
    return this.#journal.removeLeftovers();
  }

  /** Waits for appends in progress. */
  close(): Promise<void> {
    return this.#journal.close();
  }
}

function unavailable(message: string): RequestError {
  return new RequestError(503, 'ServiceUnavailableError', message);
}

function answeredBefore(path: string, kept: unknown): readonly AnsweredRequest[] {
  return kept === undefined ? [] : read(path, 'what it keeps with its base', kept, keptWithBase).answered;
}

function answeredIn(path: string, { sequence, idempotencyKey: key, answer: kept }: Transaction): AnsweredRequest[] {
  if (key === undefined) return [];
  const { digest, answer } = read(path, `the answer of transaction ${sequence}`, kept, keptAnswer);
  return [{ key: { key, digest }, answer }];
}

function read<Result>(path: string, name: string, value: unknown, schema: z.ZodType<Result>): Result {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const problem = describeProblem(error.issues[0], value, schema);
  throw new JournalError(`the journal ${path} is damaged: ${name}: ${problem}`);
}

import { RequestError } from '../base/errors.ts';
import type { Batch } from '../changes/batch.ts';
import { JournalError, JournalFull } from '../journal/errors.ts';
import type { FileLayer } from '../journal/file-layer.ts';
import { Journal, type OpenedJournal } from '../journal/journal.ts';
import type { ContentIdentity, JournalBase, Transaction } from '../journal/transaction.ts';
import type { ChangeAnswer, RequestKey } from './change-request.ts';

/** What the journal keeps of a request with an `Idempotency-Key`. */
interface KeptAnswer {
  readonly digest: string;
  readonly answer: ChangeAnswer;
}

/** A request with a key that was answered. */
export interface AnsweredRequest {
  readonly key: RequestKey;
  readonly answer: ChangeAnswer;
}

export interface OpenedContentJournal {
  readonly journal: ContentJournal;
  /** The changes since its base, in order. */
  readonly batches: readonly Batch[];
  readonly answered: readonly AnsweredRequest[];
  readonly cut: OpenedJournal['cut'];
}

/** A change that the journal keeps. */
type KeptChange = Pick<Transaction, 'epoch' | 'sequence' | 'previous' | 'changes'>;

/** The journal of a content. */
export class ContentJournal {
  readonly #journal: Journal;

  /** Opens the journal at `path`, or creates it for this content. Rejects as `Journal.open` does. */
  static async open(path: string, content: ContentIdentity, files?: FileLayer): Promise<OpenedContentJournal> {
    const { journal, transactions, cut } = await Journal.open(path, { base: content, files });
    const batches = transactions.map(({ changes }) => changes as Batch);
    return { journal: new ContentJournal(journal), batches, answered: transactions.flatMap(answeredIn), cut };
  }

  private constructor(journal: Journal) {
    this.#journal = journal;
  }

  get base(): JournalBase {
    return this.#journal.base;
  }

  /** Why it accepts no more batches, or null. */
  get failure(): string | null {
    return this.#journal.failure;
  }

  get bytes(): number {
    return this.#journal.bytes;
  }

  /** Whether the changes apply to the snapshot with this digest. */
  belongsTo(contentDigest: string): boolean {
    return contentDigest === this.#journal.origin;
  }

  /**
   * Resolves when the change is on disk. Rejects with a RequestError: 507 if the disk is full, 413 for a change that does
   * not fit in a record, otherwise 503.
   */
  async append(change: KeptChange, key: RequestKey | null, answer: ChangeAnswer): Promise<void> {
    const kept = key && { idempotencyKey: key.key, answer: { digest: key.digest, answer } satisfies KeptAnswer };
    try {
      await this.#journal.append([{ ...change, ...kept }]);
    } catch (error) {
      throw this.#asRequestError(error);
    }
  }

  #asRequestError(error: unknown): unknown {
    if (error instanceof RangeError) return new RequestError(413, 'PayloadTooLargeError', error.message);
    if (!(error instanceof JournalError)) return error;
    if (error instanceof JournalFull) {
      return new RequestError(507, 'InsufficientStorageError', `The changes are not applied: ${error.message}`);
    }
    const outcome = error.mayBeKept ? 'are not served, but may appear after a restart' : 'are not applied';
    return new RequestError(503, 'ServiceUnavailableError', `The changes ${outcome}: ${error.message}`);
  }

  /** Begins a new epoch with another content. The changes are removed. */
  restart({ epoch, version }: ContentIdentity): Promise<void> {
    return this.#journal.rotate({ epoch, version, sequence: 0, image: null }, this.#journal.sequence);
  }

  /** Waits for appends in progress. */
  close(): Promise<void> {
    return this.#journal.close();
  }
}

function answeredIn({ idempotencyKey: key, answer: kept }: Transaction): AnsweredRequest[] {
  if (key === undefined) return [];
  const { digest, answer } = kept as KeptAnswer;
  return [{ key: { key, digest }, answer }];
}

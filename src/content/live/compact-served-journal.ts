import { type WriteCompacted, writeCompactedInThread } from '../../changes/compact/compact-in-thread.ts';
import type { Journal } from '../../changes/journal/journal.ts';
import { backOff } from '../../core/back-off.ts';
import type { VersionedSnapshot } from '../../load/loaded.ts';
import { defaultJournalBytes } from '../../model/settings/server.ts';
import { type CompactionFigures, CompactionRuns } from '../versions/compactions.ts';
import type { VersionHistory } from '../versions/version-history.ts';
import type { AnsweredRequest } from './change-request.ts';
import { rotateJournal } from './content-journal.ts';

/** Pauses after failures. */
const pauses = { first: 60_000, last: 3_600_000 };

/** A start applies one small batch in about a millisecond. */
const defaultBatches = 10_000;

/** What can be chosen for compactions of a journal. */
export interface JournalCompactionParts {
  /** Bytes of changes since its base from which a journal is compacted. Default: `defaultJournalBytes`. */
  readonly limit?: number;
  /** Number of batches since its base from which a journal is compacted. */
  readonly batches?: number;
  /** Default: in a thread. */
  readonly write?: WriteCompacted;
  /** Milliseconds since any time. */
  readonly now?: () => number;
}

/** What is compacted. */
export interface CompactedJournal {
  readonly history: VersionHistory;
  readonly journal: Journal;
  /** The requests with a key that were answered until now, the oldest first. */
  answered(): readonly AnsweredRequest[];
  /** Runs a task between two batches. */
  between(task: () => Promise<void>): Promise<void>;
}

/**
 * Compacts a journal that has become large: writes the content with all changes as an image beside it, while requests
 * are answered and batches applied, and then begins the journal anew with those batches. If that fails, the journal
 * goes on.
 */
export class JournalCompaction {
  readonly #compacted: CompactedJournal;
  readonly #limit: number;
  readonly #batches: number;
  readonly #write: WriteCompacted;
  readonly #now: () => number;
  readonly #runs: CompactionRuns;
  /** Failures in a row. */
  #failures = 0;
  #notBefore = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(
    compacted: CompactedJournal,
    {
      limit = defaultJournalBytes,
      batches = defaultBatches,
      write = writeCompactedInThread,
      now = () => performance.now(),
    }: JournalCompactionParts,
  ) {
    this.#compacted = compacted;
    this.#limit = limit;
    this.#batches = batches;
    this.#write = write;
    this.#now = now;
    this.#runs = new CompactionRuns(now);
    compacted.history.served.changes.listenToCompactions((snapshot) => this.#start(snapshot));
  }

  get figures(): CompactionFigures {
    return this.#runs.figures;
  }

  /**
   * To be called after each batch. Starts a compaction if the journal is too large. While the content is compacted, it
   * waits for that: the store is then written as it is, and there are fewer copies of it at a time.
   */
  applied(): void {
    const { compactions, loaded } = this.#compacted.history;
    if (!compactions.isRunning) this.#start(loaded);
  }

  /** `snapshot` belongs to the served version or to an earlier one. */
  #start(snapshot: VersionedSnapshot): void {
    if (this.#runs.running || this.#isClosed || this.#now() < this.#notBefore) return;
    const { base, recordBytes, sequence: last } = this.#compacted.journal;
    if (recordBytes < this.#limit && last - base.sequence < this.#batches) return;
    const { epoch, sequence } = snapshot.version;
    if (epoch !== base.epoch || sequence <= base.sequence) return;
    // a server logs warnings
    const warn = () => process.emitWarning(`The journal is not compacted: ${this.figures.failure}`);
    this.#runs.run((signal) => this.#run(snapshot, signal)).catch(warn);
  }

  /** Abandons the running compaction, and resolves when it has ended. */
  abandon(): Promise<void> {
    return this.#runs.abandon();
  }

  /** As `abandon`, and begins no other compaction. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.abandon();
  }

  async #run(snapshot: VersionedSnapshot, signal: AbortSignal): Promise<void> {
    try {
      await this.#compact(snapshot, signal);
      this.#failures = 0;
    } catch (error) {
      if (!signal.aborted) this.#notBefore = this.#now() + backOff(++this.#failures, pauses);
      // files that were not written to their end take room
      await this.#compacted.journal.removeLeftovers().catch(() => {});
      throw error;
    }
  }

  /** Throws if it is abandoned. */
  async #compact(snapshot: VersionedSnapshot, signal: AbortSignal): Promise<void> {
    const { journal, answered, between } = this.#compacted;
    const { version } = snapshot;
    await this.#write(journal.imagePath(version), snapshot, signal);
    await between(async () => {
      signal.throwIfAborted();
      await rotateJournal(journal, snapshot, version, answered());
    });
  }
}

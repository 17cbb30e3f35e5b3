import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CheckedChanges } from '../../changes/batch/check-batch.ts';
import { type Compact, compactInThread } from '../../changes/compact/compact-in-thread.ts';
import { messageOf } from '../../core/errors.ts';
import { runInTurns } from '../../core/steps.ts';
import type { LoadedSnapshot, VersionedSnapshot } from '../../load/loaded.ts';
import { isScalar } from '../../model/schema/schema.ts';
import type { Settings } from '../../model/settings/config.ts';
import type { Collection } from '../../store/collection.ts';
import type { ContentVersion } from '../../store/content-version.ts';
import type { Store } from '../../store/store.ts';
import { applyCheckedInSteps } from './change-loaded.ts';
import { shownStoreInSteps } from './version.ts';

/** The content whose store is compacted. */
export interface Compacted {
  readonly loaded: LoadedSnapshot;
  readonly version: ContentVersion;
  readonly settings: Settings;
  /**
   * Serves the same content from another store, which requests read as `shown`. Throws an Error if the store has other
   * content.
   */
  rebase(store: Store, shown: Store): void;
  /** Called after `rebase`, unless the compaction was abandoned or has failed. */
  compacted(snapshot: VersionedSnapshot): void;
}

/** What can be chosen for compactions. */
export interface CompactionParts {
  /** Default: in a thread of its own. */
  readonly compact?: Compact;
  /** When a batch starts a compaction. Null: never. */
  readonly limits?: CompactionLimits | null;
}

/**
 * Compacts the store of a content, one run at a time. Makes a store without changes while requests are answered and
 * batches applied, applies the same batches to it, and serves it. After a failure, the content stays as it is.
 */
export class Compactions {
  readonly #content: Compacted;
  readonly #parts: CompactionParts;
  readonly #runs = new CompactionRuns();
  /** A multiple of the limits: doubles with each failure, so that a defect costs little. */
  #factor = 1;
  /** The batches that were applied since the running one began. */
  #batches: CheckedChanges[] = [];

  constructor(content: Compacted, parts: CompactionParts) {
    this.#content = content;
    this.#parts = parts;
  }

  get figures(): CompactionFigures {
    return this.#runs.figures;
  }

  get isRunning(): boolean {
    return this.#runs.running !== null;
  }

  /** Resolves when the running compaction has ended, or a new one. Rejects if it fails. */
  run(): Promise<void> {
    return this.#runs.running ?? this.#runs.run((signal) => this.#run(signal));
  }

  /** To be called after each batch. Starts a compaction if there are many changes. */
  applied(changes: CheckedChanges): void {
    if (this.isRunning) this.#batches.push(changes);
    else if (this.#parts.limits && needsCompaction(this.#content.loaded.store, this.#parts.limits, this.#factor)) {
      // a server logs warnings
      this.run().catch(() => process.emitWarning(`The changes are not compacted: ${this.figures.failure}`));
    }
  }

  /** Abandons the running compaction, when other content is served or none any more. */
  abandon(): void {
    void this.#runs.abandon();
  }

  async #run(signal: AbortSignal): Promise<void> {
    this.#batches = [];
    try {
      await this.#compact(signal);
      this.#factor = 1;
    } catch (error) {
      if (!signal.aborted) this.#factor *= 2;
      throw error;
    } finally {
      this.#batches = [];
    }
  }

  /** Throws if it is abandoned. */
  async #compact(signal: AbortSignal): Promise<void> {
    const { loaded, settings, version } = this.#content;
    const { compact = compactInThread } = this.#parts;
    const compacted = { ...loaded, version, store: await compact(loaded, signal) };
    let current: LoadedSnapshot = compacted;
    let shown = await runInTurns(shownStoreInSteps(current.store, settings));
    for (let next = 0; next < this.#batches.length && !signal.aborted; next++) {
      const earlier = { store: current.store, shown };
      ({ loaded: current } = await runInTurns(applyCheckedInSteps(current, this.#batches[next])));
      shown = await runInTurns(shownStoreInSteps(current.store, settings, earlier));
      // batches that come now are applied as well
      await nextTurn();
    }
    signal.throwIfAborted();
    this.#content.rebase(current.store, shown);
    this.#content.compacted(compacted);
  }
}

/** Changes since the base was built, above which a compaction pays. */
interface CompactionLimits {
  /** Rows that are new, changed or deleted, or have other links. */
  readonly rows: number;
  /** Bytes of the JSON of new and changed rows. */
  readonly bytes: number;
}

export const defaultLimits: CompactionLimits = { rows: 10_000, bytes: 2 ** 23 };

/** Returns whether there are more changes than `factor` times the limits. */
export function needsCompaction({ segments }: Store, { rows, bytes }: CompactionLimits, factor = 1): boolean {
  let rowCount = 0;
  let byteCount = 0;
  for (const { collection, dead, delta } of segments) {
    rowCount += Math.max(dead.length + (delta?.rows.length ?? 0), relinkedRows(collection));
    byteCount += delta?.jsonBytes ?? 0;
  }
  return rowCount > rows * factor || byteCount > bytes * factor;
}

/** Returns the number of rows with changed links, for the attribute with most of them. Counts new and deleted rows. */
function relinkedRows({ type, links, polymorphic }: Collection): number {
  let most = 0;
  for (const attribute of type.attributes.values()) {
    if (isScalar(attribute) || !attribute.owner) continue;
    const { name } = attribute;
    const { patch = null } = links.get(name)?.forward ?? polymorphic.get(name) ?? {};
    if (patch) most = Math.max(most, patch.lists.size + patch.unlinkedCount);
  }
  return most;
}

/** How compactions ended, since the content was opened. */
export interface CompactionFigures {
  readonly counts: Readonly<Record<'finished' | 'abandoned' | 'failed', number>>;
  /** Duration of the last one that finished; null before the first. */
  readonly milliseconds: number | null;
  /** The reason in words, unless the last one finished. */
  readonly failure: string | null;
}

/** Runs compactions, one at a time, and records how they ended. */
export class CompactionRuns {
  readonly #now: () => number;
  readonly #counts = { finished: 0, abandoned: 0, failed: 0 };
  #milliseconds: number | null = null;
  #failure: string | null = null;
  #running: { readonly ended: Promise<void>; readonly controller: AbortController } | null = null;

  /** `now` returns milliseconds since any time. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get figures(): CompactionFigures {
    return { counts: { ...this.#counts }, milliseconds: this.#milliseconds, failure: this.#failure };
  }

  /** Settles when the running one has ended. Null if none is running. */
  get running(): Promise<void> | null {
    return this.#running?.ended ?? null;
  }

  /**
   * Runs a compaction, when none is running. Rejects as `compact` does, but resolves if that rejects after the signal
   * was aborted.
   */
  run(compact: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    const ended = this.#run(compact, controller.signal);
    this.#running = { ended, controller };
    return ended;
  }

  /** Aborts the signal of the running compaction, and resolves when it has ended. */
  async abandon(): Promise<void> {
    const running = this.#running;
    running?.controller.abort();
    await running?.ended.catch(() => {});
  }

  async #run(compact: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const started = this.#now();
    try {
      await compact(signal);
      this.#counts.finished++;
      this.#milliseconds = Math.round(this.#now() - started);
      this.#failure = null;
    } catch (error) {
      if (signal.aborted) {
        this.#counts.abandoned++;
        return;
      }
      this.#counts.failed++;
      this.#failure = messageOf(error);
      throw error;
    } finally {
      this.#running = null;
    }
  }
}

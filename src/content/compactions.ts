import { setImmediate as nextTurn } from 'node:timers/promises';
import { runInTurns } from '../base/steps.ts';
import type { Batch } from '../changes/batch.ts';
import { type Compact, compactInThread } from '../compact/compact-in-thread.ts';
import type { Settings } from '../config/config.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';
import type { ContentVersion } from '../store/content-version.ts';
import type { Store } from '../store/store.ts';
import type { CompactedSnapshot } from './change-feed.ts';
import { changeLoaded } from './change-loaded.ts';
import { type CompactionLimits, needsCompaction } from './compaction-limits.ts';

/** How compactions ended, since the content was opened. */
export interface CompactionFigures {
  readonly counts: Readonly<Record<'finished' | 'abandoned' | 'failed', number>>;
  /** Duration of the last one that finished; null before the first. */
  readonly milliseconds: number | null;
  /** The reason in words, unless the last one finished. */
  readonly failure: string | null;
}

/** The content whose store is compacted. */
export interface Compacted {
  readonly loaded: LoadedSnapshot;
  readonly version: ContentVersion;
  readonly settings: Settings;
  /** Serves the same content from another store. Throws an Error if that has other content. */
  rebase(store: Store): void;
  /** Called after `rebase`, unless the compaction was abandoned or has failed. */
  compacted(snapshot: CompactedSnapshot): void;
}

/** What can be chosen for compactions. */
export interface CompactionParts {
  /** Default: in a thread of its own. */
  readonly compact?: Compact;
  /** When a batch starts a compaction. Null: never. */
  readonly limits?: CompactionLimits | null;
}

/**
 * Compacts the store of a content, one time after the other: makes a store without changes while requests are answered
 * and batches applied, applies those batches to it, and serves it. If that fails, the content stays as it is.
 */
export class Compactions {
  readonly #content: Compacted;
  readonly #parts: CompactionParts;
  readonly #counts = { finished: 0, abandoned: 0, failed: 0 };
  #milliseconds: number | null = null;
  #failure: string | null = null;
  /** A multiple of the limits: doubles with each failure, so that a defect costs little. */
  #factor = 1;
  #running: { readonly ended: Promise<void>; readonly controller: AbortController } | null = null;
  /** The batches that were applied since the running one began. */
  #batches: Batch[] = [];

  constructor(content: Compacted, parts: CompactionParts) {
    this.#content = content;
    this.#parts = parts;
  }

  get figures(): CompactionFigures {
    return { counts: { ...this.#counts }, milliseconds: this.#milliseconds, failure: this.#failure };
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Resolves when the running compaction has ended, or a new one. Rejects if it fails. */
  run(): Promise<void> {
    if (this.#running) return this.#running.ended;
    const controller = new AbortController();
    const ended = this.#run(controller.signal);
    this.#running = { ended, controller };
    return ended;
  }

  /** To be called after each batch, which is not changed later. Starts a compaction if there are many changes. */
  applied(batch: Batch): void {
    if (this.#running) this.#batches.push(batch);
    else if (this.#parts.limits && needsCompaction(this.#content.loaded.store, this.#parts.limits, this.#factor)) {
      // a server logs warnings
      this.run().catch(() => process.emitWarning(`The changes are not compacted: ${this.#failure}`));
    }
  }

  /** Abandons the running compaction, when other content is served or none any more. */
  abandon(): void {
    this.#running?.controller.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const started = performance.now();
    try {
      await this.#compact(signal);
      if (!signal.aborted) {
        this.#counts.finished++;
        this.#milliseconds = Math.round(performance.now() - started);
        this.#failure = null;
        this.#factor = 1;
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#counts.failed++;
        this.#failure = error instanceof Error ? error.message : String(error);
        this.#factor *= 2;
        throw error;
      }
    } finally {
      if (signal.aborted) this.#counts.abandoned++;
      this.#running = null;
      this.#batches = [];
    }
  }

  async #compact(signal: AbortSignal): Promise<void> {
    const { loaded, settings, version } = this.#content;
    const { compact = compactInThread } = this.#parts;
    const compacted = { ...loaded, version, store: await compact(loaded, settings.mediaUrl, signal) };
    let current: LoadedSnapshot = compacted;
    for (let next = 0; next < this.#batches.length && !signal.aborted; next++) {
      current = await runInTurns(changeLoaded(current, this.#batches[next], settings));
      // batches that come now are applied as well
      await nextTurn();
    }
    if (signal.aborted) return;
    this.#content.rebase(current.store);
    this.#content.compacted(compacted);
  }
}

/** Where content comes from that changes by itself: a Strapi project's folder, or a Strapi's REST API. */
import type { Batch } from '../changes/batch.ts';
import type { LoadedSnapshot, LoadOptions } from '../load/loaded.ts';

/** Reads a source. All times are in milliseconds since 1970. */
export interface SourceReader {
  /**
   * Reads everything: one consistent state of the source. Later changes are those since. Rejects with a SnapshotError,
   * and the source can be read again then.
   */
  load(options: LoadOptions): Promise<LoadedSnapshot>;
  /**
   * Resolves when the source has changed since the last result of this function or of `load`. Waits as long as it takes.
   * Rejects with a SnapshotError if the source cannot be read; the next call tries again, after a delay of its caller.
   * Must not be called before `load`, nor twice at once.
   */
  next(): Promise<SourceChange>;
  /** Says that something may have changed, so that the source is read soon. `body` is that of a webhook of Strapi. */
  hint(body?: unknown): void;
  /** Ends a call of `next`, which rejects. */
  close(): Promise<void>;
}

/** `readAt`: when the source was read. */
export type SourceChange =
  /** Leads from the state before to the present one. */
  | { readonly kind: 'batch'; readonly batch: Batch; readonly readAt: number }
  /** No batch leads there: the schema has changed, or too much. Call `load`. `reason` is a sentence for the log. */
  | { readonly kind: 'reload'; readonly reason: string; readonly readAt: number };

/** Called by a reader each time it has compared the source with the content that it has returned, and found them equal. */
export type OnUnchanged = (readAt: number) => void;

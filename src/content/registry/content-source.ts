/** The source that a content follows, as the server sees it. */
import type { HomeFreshness } from '../../http/home/page.ts';

/**
 * How fresh the content of a source is, which is the folder or the address, without secrets. Times are in milliseconds,
 * points in time since 1970.
 */
export interface Freshness extends HomeFreshness {
  /**
   * Time from the last change until it was served. Counts from when the change was noticed if the source does not tell
   * when it was made. Null before the first change.
   */
  readonly lag: number | null;
  /** Failures since the last success. */
  readonly failuresInARow: number;
  /** Whether the source is a hot standby of a database, which may lag behind its primary. */
  readonly isStandby?: boolean;
  /** Since the start. */
  readonly failures: number;
  readonly batches: number;
  /** Contents that were read whole and served, without the first. */
  readonly reloads: number;
}

export interface ContentSource {
  /** The publication that decides about versions and pins, as messages name it. Default: the source is a Strapi. */
  readonly publication?: string;
  readonly freshness: Freshness;
  /** Calls the listener when the served content equals the source at a later time. Returns a function that ends the calls. */
  onRead(listener: () => void): () => void;
  /** Reads the source soon, because it may have changed. `body` is that of a webhook of Strapi, or a `PluginPost`. */
  hint(body?: unknown): void;
}

/** Says that a replica takes something only from its publisher. */
export function publishedElsewhere(name: string, publication: string, action: string): string {
  return `The content "${name}" is a replica of ${publication}: ${action} at its publisher`;
}

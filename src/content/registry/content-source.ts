/** The source that a content follows, as the server sees it. */
import type { HomeFreshness } from '../../http/home/page.ts';

/**
 * How fresh the content of a source is, which is the folder or the address, without secrets. Times are in milliseconds,
 * points in time since 1970.
 */
export interface Freshness extends HomeFreshness {
  /**
   * Time from the last change until it was served: since the change itself where the source tells when that was, else
   * since it was noticed. Null before the first change.
   */
  readonly lag: number | null;
  /** Failures since the last success. */
  readonly failuresInARow: number;
  /** Since the start. */
  readonly failures: number;
  readonly batches: number;
  /** Contents that were read whole and served, without the first. */
  readonly reloads: number;
}

export interface ContentSource {
  readonly freshness: Freshness;
  /** Says that something may have changed, so that the source is read soon. `body` is that of a webhook of Strapi. */
  hint(body?: unknown): void;
}

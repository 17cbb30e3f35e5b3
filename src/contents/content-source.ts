/** The source that a content follows, as the server sees it. */

/** How fresh the content of a source is. Times are in milliseconds, points in time since 1970. */
export interface Freshness {
  /** The folder or the address, without secrets. */
  readonly source: string;
  /** When the source was last read, or last compared with the content and found equal. Null if it was not yet. */
  readonly readAt: number | null;
  /**
   * Time from the last change until it was served: since the change itself where the source tells when that was, else
   * since it was noticed. Null before the first change.
   */
  readonly lag: number | null;
  /** Why the source could not be read the last time, and when. Null after a success. */
  readonly error: { readonly message: string; readonly at: number } | null;
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

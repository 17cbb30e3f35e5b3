import type { Batch } from '../changes/batch/batch.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';

/** The content that a follower keeps equal to its source. */
export interface FollowedContent {
  /** The latest version, even if another one is pinned. */
  readonly loaded: LoadedSnapshot;
  /** Rejects with a SnapshotError if the batch does not fit the content, which then stays as it is. */
  apply(batch: Batch): Promise<void>;
  /**
   * Serves other content in all threads, and returns whether it is new. The same version, with other tokens and secrets, is
   * not. `started`: as `performance.now()` counts.
   */
  replace(loaded: LoadedSnapshot, started: number): Promise<boolean>;
}

import type { Store } from '../store/store.ts';

/** Changes since the base was built, above which a compaction pays. */
export interface CompactionLimits {
  /** New, changed and deleted rows. */
  readonly rows: number;
  /** Bytes of the JSON of new and changed rows. */
  readonly bytes: number;
}

export const defaultLimits: CompactionLimits = { rows: 10_000, bytes: 2 ** 23 };

/** Returns whether there are more changes than `factor` times the limits. Takes a time that grows with the changes. */
export function needsCompaction({ segments }: Store, { rows, bytes }: CompactionLimits, factor: number): boolean {
  let rowCount = 0;
  let byteCount = 0;
  for (const { dead, delta } of segments) {
    rowCount += dead.length + (delta?.rows.length ?? 0);
    for (const { offsets } of delta?.jsonRows ?? []) byteCount += offsets[offsets.length - 1] - offsets[0];
  }
  return rowCount > rows * factor || byteCount > bytes * factor;
}

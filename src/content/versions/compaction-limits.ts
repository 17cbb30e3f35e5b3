import { isScalar } from '../../model/schema/schema.ts';
import type { Collection } from '../../store/collection.ts';
import type { Store } from '../../store/store.ts';

/** Changes since the base was built, above which a compaction pays. */
export interface CompactionLimits {
  /** Rows that are new, changed or deleted, or have other links. */
  readonly rows: number;
  /** Bytes of the JSON of new and changed rows. */
  readonly bytes: number;
}

export const defaultLimits: CompactionLimits = { rows: 10_000, bytes: 2 ** 23 };

/** Returns whether there are more changes than `factor` times the limits. */
export function needsCompaction({ segments }: Store, { rows, bytes }: CompactionLimits, factor: number): boolean {
  let rowCount = 0;
  let byteCount = 0;
  for (const { collection, dead, delta } of segments) {
    rowCount += Math.max(dead.length + (delta?.rows.length ?? 0), relinkedRows(collection));
    byteCount += delta?.jsonBytes ?? 0;
  }
  return rowCount > rows * factor || byteCount > bytes * factor;
}

/** Returns how many rows have other links, of the attribute with most of them. New and deleted rows are among them. */
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

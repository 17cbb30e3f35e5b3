import type { BitSet } from '../../core/sets/bit-set.ts';
import type { Delta } from '../../store/overlay/delta.ts';
import type { Segment } from '../../store/segment.ts';
import type { SortKey } from '../bound.ts';
import { type RankWindow, scanIndex } from './index-scan.ts';
import type { RankFunction } from './ranks.ts';
import { deltaInOrder, mergedWindow } from './sorted-delta.ts';

/**
 * An index scan of the collection, in which the members of the delta take their places. `ranks` are those of all keys.
 * With n members in the delta, the page holds no row of the collection that is more than n places before it.
 */
export function scanBoth(
  segment: Segment,
  delta: Delta,
  members: BitSet,
  key: SortKey,
  ranks: readonly RankFunction[],
  { start, end }: RankWindow,
): Uint32Array {
  const stored = storedMembers(members, delta);
  const storedCount = stored.count();
  const changed = deltaInOrder(delta, key, (row) => members.has(row), end);
  const first = Math.min(Math.max(0, start - changed.length), storedCount);
  const last = Math.max(first, Math.min(end, storedCount));
  const rows = scanIndex(segment, stored, key, ranks.slice(1), { start: first, end: last });
  return mergedWindow(rows, changed, ranks, start - first, end - first);
}

/** The members that are rows of the collection with its values. */
function storedMembers(members: BitSet, { replaced, rows }: Delta): BitSet {
  const stored = members.clone();
  const { words } = replaced;
  for (let i = 0; i < words.length; i++) stored.words[i] &= ~words[i];
  // new rows follow those of the collection
  for (let i = rows.length - 1; i >= 0 && rows[i] >= replaced.size; i--) stored.delete(rows[i]);
  return stored;
}

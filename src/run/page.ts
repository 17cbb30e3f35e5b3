import type { SortKey } from '../query/bound.ts';
import { BitSet, countBits } from '../sets/bit-set.ts';
import { asBitSet, type Rows } from '../sets/rows.ts';
import type { Collection } from '../store/collection.ts';
import type { View } from '../store/store.ts';
import { firstRows, type Rank, rankBy, sortRows } from './order.ts';

/** The rows of one page: from `start`, at most `limit`, of `rows` (of which there are `total`) in sort order. */
export function pageOf(
  view: View,
  collection: Collection,
  rows: Rows,
  total: number,
  sort: readonly SortKey[],
  start: number,
  limit: number,
): Uint32Array {
  if (start >= total) return new Uint32Array(0);
  const end = Math.min(start + limit, total);
  // an id is unique: no key after it can matter, and ascending it is the order of the rows
  const unique = sort.findIndex(({ path }) => path.length === 1 && path[0] === 'id');
  const keys = unique < 0 ? sort : sort.slice(0, unique + 1);
  if (keys.length === 0 || (unique === 0 && !keys[0].descending)) {
    return rows instanceof BitSet ? window(rows, start, end) : rows.subarray(start, end);
  }
  const ranks = keys.map((key) => rankBy(view, collection, key));
  // walking the index passes rowCount / total rows for each that it takes; selecting looks at every matching row once
  const walks = keys[0].path.length === 1 && total * total > collection.rowCount * end;
  const first = walks
    ? walk(collection, asBitSet(rows, collection.rowCount), keys, ranks.slice(1), end)
    : firstRows(rows instanceof BitSet ? rows.toArray() : rows, ranks, end);
  return first.subarray(start, end);
}

/** The members from number `start` up to, not including, number `end`, ascending. */
function window(rows: BitSet, start: number, end: number): Uint32Array {
  const found = new Uint32Array(end - start);
  const { words } = rows;
  let passed = 0;
  for (let i = 0; i < words.length && passed < end; i++) {
    // whole words that stand before the window are only counted
    const count = passed < start ? countBits(words[i]) : 0;
    if (passed + count < start) {
      passed += count;
      continue;
    }
    for (let word = words[i]; word !== 0 && passed < end; word &= word - 1) {
      if (passed >= start) found[passed - start] = (i << 5) + 31 - Math.clz32(word & -word);
      passed++;
    }
  }
  return found;
}

/** The first `end` rows, taken from the index of the first key value by value; `ranks` order rows of one value. */
function walk(
  collection: Collection,
  rows: BitSet,
  [{ path, descending }]: readonly SortKey[],
  ranks: readonly Rank[],
  end: number,
): Uint32Array {
  const { index, dictionary } = collection.columns.get(path[0])!;
  const found = new Uint32Array(end);
  let length = 0;
  const takeValue = (code: number) => {
    const same = index.rows.subarray(index.offsets[code], index.offsets[code + 1]);
    if (ranks.length === 0) {
      for (let i = 0; i < same.length && length < end; i++) if (rows.has(same[i])) found[length++] = same[i];
    } else {
      const sorted = sortRows(
        same.filter((row) => rows.has(row)),
        ranks,
      );
      for (let i = 0; i < sorted.length && length < end; i++) found[length++] = sorted[i];
    }
  };
  if (descending) for (let code = 0; length < end; code = code === 0 ? dictionary.size : code - 1) takeValue(code);
  else
    for (let code = Math.min(1, dictionary.size); length < end; code = code === dictionary.size ? 0 : code + 1)
      takeValue(code);
  return found;
}

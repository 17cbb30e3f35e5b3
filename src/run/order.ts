/**
 * The total order of a sort. A rank is a number that grows in the wanted direction: ascending it is the code, with
 * null last; descending it counts from the greatest code, with null first. (Filters compare otherwise: to them null
 * is unknown, which has no place in an order.)
 */
import { follow } from '../plan/follow.ts';
import type { SortKey } from '../query/bound.ts';
import type { Collection } from '../store/collection.ts';
import type { View } from '../store/store.ts';

export type Rank = (row: number) => number;

const last = 0xffffffff;

/**
 * The rank of a row by one sort key. Through a relation to many rows it is the least rank among them, so that each
 * entry stands once, at its first place; nothing related ranks as null.
 */
export function rankBy(view: View, collection: Collection, { path, descending }: SortKey): Rank {
  const [name, ...rest] = path;
  if (rest.length === 0) {
    const { codes, dictionary } = collection.columns.get(name)!;
    const above = dictionary.size + 1;
    return descending
      ? (row) => (codes[row] === 0 ? 0 : above - codes[row])
      : (row) => (codes[row] === 0 ? last : codes[row]);
  }
  const { target, links } = follow(view, collection, name);
  const inner = remembered(rankBy(view, target, { path: rest, descending }), target.rowCount, rest.length > 1);
  const reachable = view.reachable(target);
  const { offsets, targets } = links.forward;
  const unlinked = descending ? 0 : last;
  return (row) => {
    let least = last;
    let isLinked = false;
    for (let i = offsets[row], end = offsets[row + 1]; i < end; i++) {
      if (reachable && !reachable.has(targets[i])) continue;
      isLinked = true;
      least = Math.min(least, inner(targets[i]));
    }
    return isLinked ? least : unlinked;
  };
}

/** A rank that is taken once a row: through several relations to many, the same row is reached over and over. */
function remembered(rank: Rank, rowCount: number, leadsOn: boolean): Rank {
  if (!leadsOn) return rank;
  const known = new Float64Array(rowCount).fill(-1);
  return (row) => {
    if (known[row] < 0) known[row] = rank(row);
    return known[row];
  };
}

/** Sorts rows by keys, ties by ascending row, which is ascending id. Each rank is taken once. */
export function sortRows(rows: Uint32Array, ranks: readonly Rank[]): Uint32Array {
  const taken = ranks.map((rank) => Uint32Array.from(rows, rank));
  return positionsInOrder(rows, taken).map((position) => rows[position]);
}

/** The first `limit` of the rows in that order. Fewer comparisons than a whole sort where `limit` is small. */
export function firstRows(rows: Uint32Array, ranks: readonly Rank[], limit: number): Uint32Array {
  if (limit * 8 > rows.length) return sortRows(rows, ranks).subarray(0, limit);
  const taken = ranks.map((rank) => Uint32Array.from(rows, rank));
  const isBefore = (a: number, b: number) => compare(taken, rows, a, b) < 0;
  // a heap of positions whose root stands last in the order: what comes before the root takes its place
  const heap: number[] = [];
  for (let position = 0; position < rows.length; position++) {
    if (heap.length < limit) {
      let child = heap.push(position) - 1;
      for (let parent = (child - 1) >> 1; child > 0 && isBefore(heap[parent], position); parent = (child - 1) >> 1) {
        heap[child] = heap[parent];
        child = parent;
      }
      heap[child] = position;
    } else if (isBefore(position, heap[0])) {
      let parent = 0;
      for (let child = 1; child < limit; child = 2 * parent + 1) {
        if (child + 1 < limit && isBefore(heap[child], heap[child + 1])) child++;
        if (!isBefore(position, heap[child])) break;
        heap[parent] = heap[child];
        parent = child;
      }
      heap[parent] = position;
    }
  }
  return Uint32Array.from(
    heap.sort((a, b) => compare(taken, rows, a, b)),
    (position) => rows[position],
  );
}

function positionsInOrder(rows: Uint32Array, taken: readonly Uint32Array[]): Uint32Array {
  return Uint32Array.from(rows.keys()).sort((a, b) => compare(taken, rows, a, b));
}

function compare(taken: readonly Uint32Array[], rows: Uint32Array, a: number, b: number): number {
  for (const ranks of taken) if (ranks[a] !== ranks[b]) return ranks[a] - ranks[b];
  return rows[a] - rows[b];
}

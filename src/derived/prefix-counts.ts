import type { BitSet } from '../sets/bit-set.ts';
import type { CodeRange, Column } from '../store/column.ts';

/** Rows of the index between two counts: a border that lies between is counted row by row. */
const step = 128;

/** By column and set, how many members stand before each step of the index. Made on first use: 4 bytes for each step. */
const known = new WeakMap<Column, WeakMap<BitSet, Uint32Array>>();

/**
 * How many rows of a set have one of the codes, without looking at most of them. The set has to be one that is kept and
 * never changes.
 */
export function countVisible(column: Column, codes: readonly CodeRange[], seen: BitSet): number {
  const { offsets, rows } = column.index;
  const counts = countsOf(column, seen);
  const before = (place: number): number => {
    const nearest = Math.floor(place / step);
    let count = counts[nearest];
    for (let i = nearest * step; i < place; i++) if (seen.has(rows[i])) count++;
    return count;
  };
  return codes.reduce((total, { low, high }) => total + before(offsets[high]) - before(offsets[low]), 0);
}

function countsOf(column: Column, seen: BitSet): Uint32Array {
  let ofColumn = known.get(column);
  if (!ofColumn) {
    ofColumn = new WeakMap();
    known.set(column, ofColumn);
  }
  let counts = ofColumn.get(seen);
  if (!counts) {
    const { rows } = column.index;
    counts = new Uint32Array(Math.floor(rows.length / step) + 1);
    let count = 0;
    for (let i = 0; i < rows.length; i++) {
      if (i % step === 0) counts[i / step] = count;
      if (seen.has(rows[i])) count++;
    }
    // where the last step is whole, nothing stands behind it
    if (rows.length % step === 0) counts[rows.length / step] = count;
    ofColumn.set(seen, counts);
  }
  return counts;
}

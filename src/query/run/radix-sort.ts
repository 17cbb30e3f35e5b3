import { iota } from '../../core/sets/row-set.ts';

/** Below this number, insertion sort is faster than radix sort: 13 times for 5 positions, 3.5 times for 20. */
const fewPositions = 24;

/**
 * Sorts the positions 0 to length - 1 by keys, the first of which is the most significant. A stable radix sort from the
 * least significant digit of the last key to the most significant digit of the first: linear in the positions.
 */
export function positionsInOrder(keys: readonly Uint32Array[], length: number): Uint32Array {
  let order = iota(length);
  if (length < fewPositions) return insertInOrder(keys, order);
  const bits = length < 4096 ? 8 : 11;
  const mask = (1 << bits) - 1;
  const starts = new Uint32Array(mask + 1);
  let next = new Uint32Array(length);
  for (let key = keys.length - 1; key >= 0; key--) {
    const values = keys[key];
    let all = 0;
    for (let i = 0; i < length; i++) all |= values[i];
    for (let shift = 0; shift < 32 && all >>> shift !== 0; shift += bits) {
      starts.fill(0);
      for (let i = 0; i < length; i++) starts[(values[i] >>> shift) & mask]++;
      let start = 0;
      for (let digit = 0; digit <= mask; digit++) {
        const count = starts[digit];
        starts[digit] = start;
        start += count;
      }
      for (let i = 0; i < length; i++) next[starts[(values[order[i]] >>> shift) & mask]++] = order[i];
      [order, next] = [next, order];
    }
  }
  return order;
}

function insertInOrder(keys: readonly Uint32Array[], order: Uint32Array): Uint32Array {
  for (let i = 1; i < order.length; i++) {
    let at = i;
    // stable: equal positions are already in ascending order
    for (; at > 0 && isBefore(keys, i, order[at - 1]); at--) order[at] = order[at - 1];
    order[at] = i;
  }
  return order;
}

function isBefore(keys: readonly Uint32Array[], a: number, b: number): boolean {
  for (let i = 0; i < keys.length; i++) if (keys[i][a] !== keys[i][b]) return keys[i][a] < keys[i][b];
  return false;
}

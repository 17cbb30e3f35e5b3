/** Sorts the values of a column of numbers, and says where each value is among the distinct ones. */

export interface RankedNumbers {
  /** In ascending order, without NaN. */
  readonly distinct: Float64Array;
  /** For each value its position in `distinct`, counted from 1; 0 for NaN. */
  readonly ranks: Uint32Array;
}

/** Fewer values are sorted by comparison, which is then faster than counting digits. */
const comparedValues = 256;

/** Values may be repeated. -0 has to be 0. */
export function rankNumbers(values: Float64Array): RankedNumbers {
  const sorted = sortedPositions(values);
  const distinct = new Float64Array(sorted.length);
  const ranks = new Uint32Array(values.length);
  let size = 0;
  for (const position of sorted) {
    const value = values[position];
    if (size === 0 || value !== distinct[size - 1]) distinct[size++] = value;
    ranks[position] = size;
  }
  return { distinct: distinct.subarray(0, size), ranks };
}

/** Returns the positions of the values in ascending order, without NaN. */
function sortedPositions(values: Float64Array): Uint32Array {
  const positions = new Uint32Array(values.length);
  let count = 0;
  let isAscending = true;
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    if (value < last) isAscending = false;
    last = value;
    positions[count++] = i;
  }
  const found = positions.subarray(0, count);
  if (isAscending) return found;
  if (count < comparedValues) return found.sort((a, b) => values[a] - values[b] || a - b);
  return sortByDigits(values, found);
}

/**
 * Sorts positions by their values: a radix sort by bytes, from the lowest on, without the bytes in which all values agree.
 * Ranking 93,000 datetimes takes a third of the time of a sort and a binary search for each value.
 */
function sortByDigits(values: Float64Array, positions: Uint32Array<ArrayBuffer>): Uint32Array {
  const words = orderedWords(values);
  const counts = new Uint32Array(8 * 256);
  for (const position of positions) {
    for (let half = 0; half < 2; half++) {
      const word = words[2 * position + half];
      const first = half * 4 * 256;
      counts[first + (word & 0xff)]++;
      counts[first + 256 + ((word >>> 8) & 0xff)]++;
      counts[first + 512 + ((word >>> 16) & 0xff)]++;
      counts[first + 768 + (word >>> 24)]++;
    }
  }
  let from = positions;
  let to = new Uint32Array(positions.length);
  for (let digit = 0; digit < 8; digit++) {
    const half = digit >>> 2;
    const shift = (digit & 3) * 8;
    const next = counts.subarray(digit * 256, (digit + 1) * 256);
    if (next[(words[2 * from[0] + half] >>> shift) & 0xff] === from.length) continue;
    for (let byte = 0, start = 0; byte < 256; byte++) {
      const count = next[byte];
      next[byte] = start;
      start += count;
    }
    for (let i = 0; i < from.length; i++) {
      const position = from[i];
      to[next[(words[2 * position + half] >>> shift) & 0xff]++] = position;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Returns the low and the high word of each value. They order the values as unsigned integers of 64 bits. */
function orderedWords(values: Float64Array): Uint32Array {
  const [low, high] = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? [0, 1] : [1, 0];
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  const words = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i += 2) {
    // a negative number is less, the greater its other bits are
    const flip = bits[i + high] >> 31;
    words[i] = bits[i + low] ^ flip;
    words[i + 1] = bits[i + high] ^ (flip | 0x80000000);
  }
  return words;
}

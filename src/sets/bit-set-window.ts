import { countBits } from './bit-set.ts';

/**
 * Counts the members that two sets share, from number `count` on, and writes those with numbers from `start` up to, not
 * including, `end` into `found`. Returns the number after the last member it counted: `end`, or fewer if there are fewer.
 */
export function collectIntersection(
  ones: Uint32Array,
  others: Uint32Array,
  found: Uint32Array,
  count: number,
  start: number,
  end: number,
): number {
  let number = count;
  for (let i = 0; i < ones.length && number < end; i++) {
    let word = ones[i] & others[i];
    // skip words that lie entirely before the window
    const members = number < start ? countBits(word) : 0;
    if (number + members < start) {
      number += members;
      continue;
    }
    for (; word !== 0 && number < end; word &= word - 1) {
      if (number >= start) found[number - start] = (i << 5) + 31 - Math.clz32(word & -word);
      number++;
    }
  }
  return number;
}

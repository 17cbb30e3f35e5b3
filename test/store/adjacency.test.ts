import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adjacencyFromPairs } from '../../src/store/links/adjacency.ts';
import { mostRowsWithoutLinks } from '../../src/store/links/link-counts.ts';

/** Links to row 0, so many for each row. */
function linksOf(counts: readonly number[]) {
  const sources = counts.flatMap((count, row) => Array<number>(count).fill(row));
  return adjacencyFromPairs(Uint32Array.from(sources), new Uint32Array(sources.length), counts.length);
}

const unlinked = (counts: readonly number[]) => counts.filter((count) => count === 0).length;

describe('the bound of rows without links', () => {
  test('is never less than their number', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant(0), fc.nat(3), fc.nat(50)), { maxLength: 70 }), (counts) => {
        const bound = mostRowsWithoutLinks(linksOf(counts));
        expect(bound).toBeGreaterThanOrEqual(unlinked(counts));
        expect(bound).toBeLessThanOrEqual(counts.length);
      }),
    );
  });

  test('is exact if every row has the same number of links or none', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 70 }), fc.integer({ min: 1, max: 4 }), (linked, most) => {
        const counts = linked.map((isLinked) => (isLinked ? most : 0));
        expect(mostRowsWithoutLinks(linksOf(counts))).toBe(unlinked(counts));
      }),
    );
  });
});

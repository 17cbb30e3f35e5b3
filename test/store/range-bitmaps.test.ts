import { expect, test } from 'vitest';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import { buildValueIndex } from '../../src/store/writer/columns/build-value-index.ts';

const rowCount = 3001;
const size = 200;
/** Code 5 has half of the rows; the others are spread evenly. */
const codes = Uint32Array.from({ length: rowCount }, (_, row) => (row % 2 === 0 ? 5 : (row * 7) % (size + 1)));
const index = buildValueIndex(codes, size);
const bitmaps = index.bitmaps!;

test('a value index lists the rows of each code in ascending order', () => {
  const { offsets, rows } = index;
  for (let code = 0; code <= size; code++) {
    const expected = [...codes.keys()].filter((row) => codes[row] === code);
    expect([...rows.subarray(offsets[code], offsets[code + 1])]).toEqual(expected);
  }
});

test('any range is exact, whichever cumulative bitmaps are nearest to its bounds', () => {
  const { rows } = index;
  for (let start = 0; start <= rowCount; start += 293) {
    for (let end = start; end <= rowCount; end += 311) {
      const found = new BitSet(rowCount);
      bitmaps.addRange(found.words, start, end);
      expect(found.toArray()).toEqual(rows.slice(start, end).sort());
    }
  }
});

test('only a code with many rows has its own bitmap', () => {
  expect(bitmaps.rowsWithCode(5)?.toArray()).toEqual(index.rows.slice(index.offsets[5], index.offsets[6]));
  expect(bitmaps.rowsWithCode(6)).toBeNull();
});

test('a column of few rows has no bitmaps', () => {
  expect(buildValueIndex(codes.slice(0, 64), size).bitmaps).toBeNull();
  expect(buildValueIndex(codes.slice(0, 65), size).bitmaps).not.toBeNull();
});

test('bitmaps take one bit a row each: 32 steps and the empty set, and one for the frequent code', () => {
  const wordCount = Math.ceil(rowCount / 32);
  const { cumulative, byCode } = bitmaps.arrays;
  expect([cumulative.length, byCode.length]).toEqual([(32 + 1) * wordCount, wordCount]);
});

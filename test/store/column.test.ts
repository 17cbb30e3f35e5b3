import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import type { CodeRange, CodeSet } from '../../src/core/sets/code-set.ts';
import type { Column } from '../../src/store/columns/column.ts';
import { buildColumn, buildNumberDictionary } from '../../src/store/writer/columns/column-builder.ts';

/** Columns that are long enough for long ranges to be read from bitmaps, beside short ranges that are not. */
const columns = [
  { rowCount: 5000, size: 3 },
  { rowCount: 10_007, size: 900 },
  { rowCount: 4096, size: 4096 },
].map(({ rowCount, size }) => {
  let state = size;
  const codes = Uint32Array.from({ length: rowCount }, () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) ** 2 * (size + 1));
  });
  const values = Float64Array.from({ length: size }, (_, i) => i);
  return buildColumn(codes, buildNumberDictionary(values, 'integer'));
});

/** Disjoint ascending ranges, some of them adjacent and some empty. */
const ranges = (size: number) =>
  fc.array(fc.nat({ max: size + 1 }), { minLength: 2, maxLength: 8 }).map((borders): CodeRange[] => {
    borders.sort((a, b) => a - b);
    return borders.slice(1).flatMap((high, i) => (i % 3 === 2 ? [] : [{ low: borders[i]!, high }]));
  });

function expectRows(column: Column, set: CodeSet, has: (code: number) => boolean): void {
  const rows = [...column.codes.keys()].filter((row) => has(column.codes[row]!));
  expect([...column.rowsWithCodes(set).toArray()]).toEqual(rows);
  expect([...column.rowListWithCodes(set)]).toEqual(rows);
  expect(column.countRows(set)).toBe(rows.length);
  expect([...column.codes.keys()].filter(column.rowPredicate(set))).toEqual(rows);
}

for (const column of columns) {
  const { size } = column.dictionary;
  test(`finds and counts the rows of ranges, lists and bit sets of codes: ${column.codes.length} rows, ${size} values`, () => {
    fc.assert(
      fc.property(ranges(size), (wanted) => {
        const has = (code: number) => wanted.some(({ low, high }) => low <= code && code < high);
        expectRows(column, { kind: 'ranges', ranges: wanted }, has);
        const codes = Uint32Array.from({ length: size + 1 }, (_, code) => code).filter(has);
        expectRows(column, { kind: 'list', codes }, has);
        const bits = new BitSet(size + 1);
        for (const code of codes) bits.add(code);
        expectRows(column, { kind: 'bits', codes: bits }, has);
      }),
      { numRuns: 25, seed: 1 },
    );
  });
}

test('counts the members of a bit set of any size', () => {
  for (let size = 0; size < 300; size += 7) {
    const set = BitSet.full(size);
    for (let member = 0; member < size; member += 3) set.delete(member);
    expect(set.count()).toBe(set.toArray().length);
    expect(set.count()).toBe(size - Math.ceil(size / 3));
  }
});

test('columns with another value in each row share their offsets', () => {
  const columnOf = (...codes: number[]) =>
    buildColumn(Uint32Array.from(codes), buildNumberDictionary(Float64Array.of(1, 2, 3), 'integer'));
  const ids = columnOf(1, 2, 3);
  const unique = columnOf(3, 1, 2).sharingOffsets(ids);
  expect(unique.index.offsets).toBe(ids.index.offsets);
  expect(unique.rowListWithCodes({ kind: 'ranges', ranges: [{ low: 3, high: 4 }] })).toEqual(Uint32Array.of(0));
  for (const codes of [
    [3, 1, 0],
    [3, 1, 1],
    [3, 1],
  ] as const) {
    const column = columnOf(...codes);
    expect(column.sharingOffsets(ids)).toBe(column);
  }
});

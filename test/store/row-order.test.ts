import { expect, test } from 'vitest';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import {
  effectiveSortKeys,
  firstRowsInOrder,
  inRowOrder,
  ordinalsInRowOrder,
  windowInRowOrder,
} from '../../src/store/row-order.ts';

const key = (name: string, descending = false) => ({ path: name.split('.'), descending });

test('rows are ordered by id', () => {
  expect(ordinalsInRowOrder(Float64Array.of(7, 3, 9))).toEqual({
    order: Uint32Array.of(1, 0, 2),
    isLoadOrder: false,
  });
  expect(ordinalsInRowOrder(Float64Array.of(3, 7, 9))).toEqual({
    order: Uint32Array.of(0, 1, 2),
    isLoadOrder: true,
  });
});

test('sort keys after the id are dropped, and so is the ascending id', () => {
  expect(effectiveSortKeys([key('title'), key('id'), key('slug')])).toEqual([key('title')]);
  expect(effectiveSortKeys([key('id', true), key('title')])).toEqual([key('id', true)]);
  expect(effectiveSortKeys([key('id')])).toEqual([]);
  // the id of a related entry is not unique
  expect(effectiveSortKeys([key('author.id'), key('title')])).toEqual([key('author.id'), key('title')]);
});

test('rows in order are returned as they are, others as a sorted copy', () => {
  const ascending = Uint32Array.of(1, 4, 9);
  expect(inRowOrder(ascending)).toBe(ascending);
  const mixed = Uint32Array.of(9, 1, 4);
  expect(inRowOrder(mixed)).toEqual(ascending);
  expect(mixed).toEqual(Uint32Array.of(9, 1, 4));
});

test('a window of a bit set equals that of a list', () => {
  const list = Uint32Array.from({ length: 50 }, (_, i) => i * 3);
  const bits = new BitSet(150);
  for (const row of list) bits.add(row);
  for (const [start, end] of [
    [0, 5],
    [10, 20],
    [31, 33],
    [48, 50],
    [0, 50],
  ] as const) {
    expect(windowInRowOrder(list, start, end)).toEqual(list.slice(start, end));
    expect(windowInRowOrder(bits, start, end)).toEqual(list.slice(start, end));
  }
});

test('a scan ends after the last requested row or too many tests', () => {
  let tests = 0;
  const isEven = (row: number) => ++tests > 0 && row % 2 === 0;
  expect(firstRowsInOrder(isEven, 3, 100)).toEqual(Uint32Array.of(0, 2, 4));
  expect(tests).toBe(5);
  expect(firstRowsInOrder(isEven, 3, 5)).toEqual(Uint32Array.of(0, 2, 4));
  tests = 0;
  expect(firstRowsInOrder(isEven, 3, 4)).toBeNull();
  expect(tests).toBe(4);
});

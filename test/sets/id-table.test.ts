import { describe, expect, test } from 'vitest';
import { IdTable } from '../../src/core/sets/id-table.ts';

const tableOf = (...rows: [number, number][]) =>
  IdTable.of(
    Float64Array.from(rows, ([id]) => id),
    Float64Array.from(rows, ([, value]) => value),
  );
const rowsOf = ({ ids, values }: IdTable) => Array.from(ids, (id, i) => [id, values[i]]);

describe('a table of ids', () => {
  test('sorts its ids by number, and keeps the last value of one', () => {
    expect(rowsOf(tableOf([10, 1], [9, 2], [10, 3]))).toEqual([
      [9, 2],
      [10, 3],
    ]);
  });

  test('finds the value of an id', () => {
    const table = tableOf([2, 20], [2 ** 40, 30]);
    expect([table.get(2), table.get(2 ** 40), table.get(3), IdTable.empty.get(1)]).toEqual([
      20,
      30,
      undefined,
      undefined,
    ]);
  });

  test('replaces, adds and removes values, and stays as it is', () => {
    const table = tableOf([2, 20], [4, 40], [6, 60]);
    const changes = new Map([
      [7, 70],
      [1, 10],
      [4, null],
      [6, 61],
      [5, null],
    ]);
    expect(rowsOf(table.with(changes))).toEqual([
      [1, 10],
      [2, 20],
      [6, 61],
      [7, 70],
    ]);
    expect(table.size).toBe(3);
  });

  test('lists what differs between two', () => {
    const found: unknown[] = [];
    const take = (...difference: unknown[]) => found.push(difference);
    IdTable.eachDifference(tableOf([1, 10], [2, 20], [3, 30]), tableOf([2, 21], [3, 30], [4, 40]), take);
    expect(found).toEqual([
      [1, 10, null],
      [2, 20, 21],
      [4, null, 40],
    ]);
  });
});

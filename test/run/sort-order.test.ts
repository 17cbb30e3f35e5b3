import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortedWindow, sortRows } from '../../src/query/run/sort-order.ts';

/** Sorts of so many rows that they are counted instead of compared, beside JavaScript's own stable sort. */
const cases = fc
  .record({
    length: fc.constantFrom(2, 23, 24, 255, 256, 1000, 5000),
    distinct: fc.array(fc.constantFrom(1, 2, 7, 300, 5000, 3_000_000_000), { minLength: 1, maxLength: 3 }),
    seed: fc.integer(),
    start: fc.double({ min: 0, max: 1, noNaN: true }),
    limit: fc.constantFrom(1, 25, 100, 5000),
  })
  .map(({ length, distinct, seed, start, limit }) => {
    let state = seed;
    const next = () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return state / 0x7fffffff;
    };
    const keys = distinct.map((count) =>
      Float64Array.from({ length: length * 3 }, () => Math.floor(next() ** 3 * count)),
    );
    const rows = Uint32Array.from({ length: length * 3 }, (_, row) => row).filter(
      (row) => row % 3 === Math.abs(seed % 2),
    );
    const first = Math.floor(start * (rows.length - 1));
    return { keys, rows, start: first, end: Math.min(rows.length, first + limit), next };
  });

function expected(rows: Uint32Array, keys: Float64Array[]): number[] {
  return [...rows].sort((a, b) => {
    for (const key of keys) if (key[a] !== key[b]) return key[a]! - key[b]!;
    return a - b;
  });
}

test('a window equals that slice of the whole order', () => {
  fc.assert(
    fc.property(cases, ({ keys, rows, start, end }) => {
      const ranks = keys.map((key) => (wanted: Uint32Array) => Uint32Array.from(wanted, (row) => key[row]!));
      expect([...sortedWindow(rows, ranks, start, end)]).toEqual(expected(rows, keys).slice(start, end));
    }),
    { numRuns: 200 },
  );
});

test('rows are sorted whatever their order, ties by ascending row', () => {
  fc.assert(
    fc.property(cases, ({ keys, rows, next }) => {
      const ranks = keys.map((key) => (wanted: Uint32Array) => Uint32Array.from(wanted, (row) => key[row]!));
      const mixed = Uint32Array.from([...rows].sort(() => next() - 0.5));
      expect([...sortRows(mixed, ranks)]).toEqual(expected(rows, keys));
    }),
    { numRuns: 100 },
  );
});

test('the rank of a row by the first key is computed once', () => {
  const rows = Uint32Array.from({ length: 5000 }, (_, row) => row);
  let taken = 0;
  const ranks = (wanted: Uint32Array) => {
    taken += wanted.length;
    return wanted.map((row) => row % 7);
  };
  sortedWindow(rows, [ranks, (wanted) => wanted.slice()], 2000, 2025);
  expect(taken).toBe(rows.length);
});

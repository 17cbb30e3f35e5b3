/** An index scan, a selection and an early page find the rows that a plain sort has at the same places. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import type { Condition } from '../../src/query/bound.ts';
import { planQuery } from '../../src/query/plan/planner.ts';
import { findEarlyPage } from '../../src/query/run/early-page.ts';
import { scanIndex } from '../../src/query/run/find-page.ts';
import { compileSortKey, sortedColumn } from '../../src/query/run/ranks.ts';
import { sortedWindow } from '../../src/query/run/sort-order.ts';
import { everyStatus, findAll, segmentsOf, viewOf } from '../plan/segments.ts';

const rowCount = 2000;
const rows = Array.from({ length: rowCount }, (_, row) => row);
/** Half of the rows have one value, which the index reads as a bitmap; the others have few rows each. */
const values: Record<string, (row: number) => number | undefined> = {
  kind: (row) => (row % 2 === 0 ? 5 : row % 17 === 0 ? undefined : (row * 31) % 300),
  size: (row) => (row % 7 === 0 ? undefined : (row * 7919) % 40),
};
const column = (name: string) => ({ type: 'integer' as const, values: rows.map(values[name]) });
const segments = segmentsOf({
  thing: { rowCount, columns: { kind: column('kind'), size: column('size') }, links: {} },
});
const segment = segments.get('thing')!;
const view = viewOf(segments);

const requests = fc.record({
  /** One row in this many matches. */
  step: fc.constantFrom(1, 2, 3, 40),
  start: fc.integer({ min: 0, max: 60 }),
  limit: fc.integer({ min: 1, max: 40 }),
  names: fc.constantFrom(['kind'], ['size'], ['kind', 'size'], ['size', 'kind']),
  descending: fc.boolean(),
  nullIsLeast: fc.boolean(),
});

/** Ties are in the order of rows. */
function sorted(
  matches: readonly number[],
  names: readonly string[],
  descending: boolean,
  nullIsLeast: boolean,
): number[] {
  const direction = descending ? -1 : 1;
  const rank = (name: string, row: number) =>
    values[name](row) ?? (nullIsLeast ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  return [...matches].sort((a, b) => {
    for (const name of names) {
      const [one, other] = [rank(name, a), rank(name, b)];
      if (one !== other) return direction * (one < other ? -1 : 1);
    }
    return a - b;
  });
}

test('an index scan, a selection and an early page find the same page as a plain sort', () => {
  fc.assert(
    fc.property(requests, ({ step, start, limit, names, descending, nullIsLeast }) => {
      const matches = rows.filter((row) => row % step === 0);
      const end = Math.min(start + limit, matches.length);
      if (start >= end) return;
      const expected = sorted(matches, names, descending, nullIsLeast).slice(start, end);
      const keys = names.map((name) => ({ path: [name], descending, nullIsLeast }));
      const [key, ...others] = keys.map((each) => compileSortKey(view, segment, each));
      const members = new BitSet(rowCount);
      for (const row of matches) members.add(row);
      expect([
        ...scanIndex(sortedColumn(segment.collection, keys[0]), members, keys[0], others, { start, end }),
      ]).toEqual(expected);
      expect([...sortedWindow(Uint32Array.from(matches), [key, ...others], start, end)]).toEqual(expected);
    }),
    { numRuns: 300, seed: 7 },
  );
  fc.assert(
    fc.property(requests, ({ start, limit, names, descending, nullIsLeast }) => {
      const condition: Condition = {
        kind: 'value',
        attribute: 'size',
        comparison: 'less',
        operands: [35],
        negated: false,
      };
      const { plan } = planQuery(view, segment, everyStatus, [condition], findAll);
      const keys = names.map((name) => ({ path: [name], descending, nullIsLeast }));
      const strategy = { kind: 'early', total: 0, maximumTests: rowCount, maximumCounts: 0, visible: null } as const;
      const page = findEarlyPage(view, plan, strategy, { keys, start, end: start + limit });
      const matches = rows.filter((row) => (values.size(row) ?? 35) < 35);
      expect(page && [...page]).toEqual(sorted(matches, names, descending, nullIsLeast).slice(start, start + limit));
    }),
    { numRuns: 200, seed: 7 },
  );
});

test('an early page gives up after the maximum number of tests, and when the rows do not fill it', () => {
  const condition: Condition = {
    kind: 'value',
    attribute: 'size',
    comparison: 'equal',
    operands: [39],
    negated: false,
  };
  const { plan } = planQuery(view, segment, everyStatus, [condition], findAll);
  const find = (maximumTests: number, end: number) =>
    findEarlyPage(
      view,
      plan,
      { kind: 'early', total: end, maximumTests, maximumCounts: 0, visible: null },
      { keys: [{ path: ['size'], descending: false }], start: 0, end },
    );
  const count = rows.filter((row) => values.size(row) === 39).length;
  expect(find(10, 1)).toBeNull();
  expect(find(rowCount, count)?.length).toBe(count);
  expect(find(2 * rowCount, count + 1)).toBeNull();
});

/** An index scan, a selection and an early page find the rows that a plain sort has at the same places. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import type { Condition } from '../../src/query/bound.ts';
import { planQuery } from '../../src/query/plan/planner.ts';
import { findEarlyPage } from '../../src/query/run/early-page.ts';
import { findPage, scanIndex } from '../../src/query/run/find-page.ts';
import { chooseEarlyPage, choosePage } from '../../src/query/run/page-strategy.ts';
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
      const strategy = {
        kind: 'early',
        total: 0,
        maximumTests: rowCount,
        maximumCounts: 0,
        visible: null,
        within: null,
      } as const;
      const page = findEarlyPage(view, plan, strategy, { keys, start, end: start + limit });
      const matches = rows.filter((row) => (values.size(row) ?? 35) < 35);
      expect(page && [...page]).toEqual(sorted(matches, names, descending, nullIsLeast).slice(start, start + limit));
    }),
    { numRuns: 200, seed: 7 },
  );
});

test('an index scan and an early page read only the values that the filter lets through', () => {
  const filters = fc.record({ least: fc.integer({ min: -1, max: 40 }), width: fc.integer({ min: 0, max: 40 }) });
  let bounded = 0;
  fc.assert(
    fc.property(requests, filters, ({ step, start, limit, names, descending, nullIsLeast }, { least, width }) => {
      const isBetween = (row: number) => {
        const value = values.size(row);
        return value !== undefined && value >= least && value <= least + width;
      };
      const between: Condition = {
        kind: 'value',
        attribute: 'size',
        comparison: 'between',
        operands: [least, least + width],
        negated: false,
      };
      const isKind = (row: number) => (values.kind(row) ?? 300) < 5 + step;
      const kind: Condition = {
        kind: 'value',
        attribute: 'kind',
        comparison: 'less',
        operands: [5 + step],
        negated: false,
      };
      const keys = names.map((name) => ({ path: [name], descending, nullIsLeast }));
      const page = { keys, start, end: start + limit };
      for (const [conditions, isMatch] of [
        [[between], isBetween],
        [[kind, between], (row: number) => isKind(row) && isBetween(row)],
      ] as const) {
        const { plan } = planQuery(view, segment, everyStatus, conditions, findAll);
        const matches = rows.filter(isMatch);
        const expected = sorted(matches, names, descending, nullIsLeast).slice(start, start + limit);
        const found = { rows: Uint32Array.from(matches), count: matches.length };
        const chosen = choosePage(view, segment, matches.length, page, plan);
        if (chosen.kind === 'empty' || chosen.kind === 'window') continue;
        expect([...findPage(view, segment, found, page, { ...chosen, kind: 'indexScan' })]).toEqual(expected);
        if (chosen.within) bounded++;
        const early = chooseEarlyPage(plan, page);
        const tested = early && findEarlyPage(view, plan, early, page);
        if (tested) expect([...tested]).toEqual(expected);
      }
    }),
    { numRuns: 400, seed: 7 },
  );
  expect(bounded).toBeGreaterThan(100);
});

test('an early page finds the last rows of a filter on its first sort key at once', () => {
  const condition: Condition = {
    kind: 'value',
    attribute: 'size',
    comparison: 'less',
    operands: [10],
    negated: false,
  };
  const { plan } = planQuery(view, segment, everyStatus, [condition], findAll);
  const page = { keys: [{ path: ['size'], descending: true, nullIsLeast: true }], start: 0, end: 10 };
  const early = chooseEarlyPage(plan, page);
  expect(early).toMatchObject({ within: { high: 11 } });
  expect(findEarlyPage(view, plan, { ...early!, maximumTests: 10 }, page)?.length).toBe(10);
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
      { kind: 'early', total: end, maximumTests, maximumCounts: 0, visible: null, within: null },
      { keys: [{ path: ['size'], descending: false }], start: 0, end },
    );
  const count = rows.filter((row) => values.size(row) === 39).length;
  expect(find(10, 1)).toBeNull();
  expect(find(rowCount, count)?.length).toBe(count);
  expect(find(2 * rowCount, count + 1)).toBeNull();
});

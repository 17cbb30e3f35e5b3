/** An early page does no more work than it is charged for. */
import { expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import { codesBetween } from '../../src/core/sets/code-set.ts';
import type { Plan } from '../../src/query/plan/plan.ts';
import { findEarlyPage } from '../../src/query/run/early-page.ts';
import { maximumRowsCounted, PrefixCounts } from '../../src/query/visible/prefix-counts.ts';
import { VisibleSet } from '../../src/query/visible/visible-set.ts';
import { columnOf } from '../../src/store/collection.ts';
import type { Segment } from '../../src/store/segment.ts';
import { segmentsOf } from '../plan/segments.ts';

/** A set that counts how often it is asked. */
class ObservedSet extends BitSet {
  asked = 0;

  override has(member: number): boolean {
    this.asked++;
    return super.has(member);
  }
}

/** The visible rows of a segment. `tested` is asked by the plan, `counted` by counts of visible rows. */
function visibleRows(segment: Segment, isVisible: (row: number) => boolean) {
  const { rowCount } = segment.collection;
  const [tested, counted] = [new ObservedSet(rowCount), new ObservedSet(rowCount)];
  for (let row = 0; row < rowCount; row++) {
    if (!isVisible(row)) continue;
    tested.add(row);
    counted.add(row);
  }
  const set = new VisibleSet(tested, tested.count(), new PrefixCounts(counted, () => {}));
  // the first count of a column reads all of its rows
  for (const column of segment.collection.columns.values()) set.countWith(column, [{ low: 0, high: 1 }]);
  counted.asked = 0;
  return { set, tested, counted };
}

/** A plan of the visible rows whose `matches` is 1. */
function planOf(segment: Segment, visible: VisibleSet): Plan {
  const column = columnOf(segment.collection, 'matches');
  const codes = codesBetween(column.dictionary.find(1) + 1, column.dictionary.find(1) + 2);
  const values = { kind: 'values', segment, column, codes, estimate: column.countRows(codes) };
  return { kind: 'and', segment, parts: [{ kind: 'visible', segment, visible }, values] } as unknown as Plan;
}

const integers = (values: number[]) => ({ type: 'integer' as const, values });

test('no more rows are tested than allowed, and no more values are counted', () => {
  const random = new Random(5);
  let found = 0;
  let skipped = 0;
  for (let run = 0; run < 300; run++) {
    const rowCount = random.integer(400, 4000);
    const kinds = random.pick([2, 5, 20, 1000]);
    const list = (draw: () => number) => integers(Array.from({ length: rowCount }, draw));
    const kind = list(() => random.integer(1, kinds));
    const columns = { kind, size: list(() => random.integer(1, 50)), matches: list(() => random.integer(0, 1)) };
    const segment = segmentsOf({ thing: { rowCount, columns, links: {} } }).get('thing')!;
    const hidden = random.integer(0, kinds - 1);
    const { set, tested, counted } = visibleRows(segment, (row) => kind.values[row] > hidden && row % 3 > 0);
    const keys = ['kind', 'size'].slice(0, random.integer(0, 2)).map((name) => ({ path: [name], descending: false }));
    const maximumTests = random.integer(0, rowCount);
    const maximumCounts = random.integer(0, 8);
    const early = { kind: 'early', total: 0, maximumTests, maximumCounts, visible: set, within: null } as const;
    const all = Array.from({ length: rowCount }, (_, row) => row);
    const matches = all.filter((row) => set.rows.has(row) && columns.matches.values[row] === 1);
    const end = Math.min(random.integer(1, 30), matches.length);
    tested.asked = 0;
    const page = findEarlyPage({} as never, planOf(segment, set), early, { keys, start: 0, end });
    expect(tested.asked).toBeLessThanOrEqual(maximumTests);
    expect(counted.asked).toBeLessThanOrEqual(maximumCounts * maximumRowsCounted);
    if (counted.asked > 0) skipped++;
    if (!page) continue;
    found++;
    const valuesOf = (row: number) => keys.map(({ path: [name] }) => columns[name as 'kind' | 'size'].values[row]);
    expect([...page].map(valuesOf)).toEqual(matches.map(valuesOf).sort(compareLists).slice(0, end));
  }
  expect(found).toBeGreaterThan(50);
  expect(skipped).toBeGreaterThan(50);
});

test('a value with many rows is skipped if none is visible, up to the maximum number of counts', () => {
  // 10 values with 300 rows each; only rows of the last three are visible
  const rowCount = 3000;
  const kind = Array.from({ length: rowCount }, (_, row) => Math.floor(row / 300));
  const columns = { kind: integers(kind), matches: integers(kind.map(() => 1)) };
  const segment = segmentsOf({ thing: { rowCount, columns, links: {} } }).get('thing')!;
  const { set, tested } = visibleRows(segment, (row) => row >= 2100);
  const pageAfter = (maximumCounts: number) => {
    const early = { kind: 'early', total: 900, maximumTests: 500, maximumCounts, visible: set, within: null } as const;
    const keys = [{ path: ['kind'], descending: false }];
    tested.asked = 0;
    const page = findEarlyPage({} as never, planOf(segment, set), early, { keys, start: 0, end: 10 });
    return { rows: page && [...page], tests: tested.asked };
  };
  const rows = Array.from({ length: 10 }, (_, i) => 2100 + i);
  expect(pageAfter(8)).toEqual({ rows, tests: 10 });
  expect(pageAfter(6)).toEqual({ rows, tests: 310 });
  expect(pageAfter(5)).toEqual({ rows: null, tests: 500 });
});

function compareLists(one: readonly number[], other: readonly number[]): number {
  const differing = one.findIndex((value, i) => value !== other[i]);
  return differing < 0 ? 0 : one[differing] - other[differing];
}

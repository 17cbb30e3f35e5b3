/** An index scan of a collection and a delta finds the rows that a plain sort has at the same places. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import { scanBoth } from '../../src/query/run/find-page.ts';
import { compileSortKey } from '../../src/query/run/ranks.ts';
import type { Delta } from '../../src/store/overlay/delta.ts';
import { mergeColumn } from '../../src/store/overlay/merge-column.ts';
import { Segment } from '../../src/store/segment.ts';
import { columnOf, segmentsOf, viewOf } from '../plan/segments.ts';

const storedRows = 2000;
/** Half of the rows have one value, which the index reads as a bitmap; the others have few rows each. */
const stored: Record<string, (number | undefined)[]> = {
  kind: rowsOf(storedRows, (row) => (row % 2 === 0 ? 5 : row % 17 === 0 ? undefined : (row * 31) % 300)),
  size: rowsOf(storedRows, (row) => (row % 7 === 0 ? undefined : ((row * 7919) % 40) * 2)),
};
const names = Object.keys(stored);
const columns = Object.fromEntries(names.map((name) => [name, { type: 'integer' as const, values: stored[name] }]));
const base = segmentsOf({ thing: { rowCount: storedRows, columns, links: {} } }).get('thing')!;

const value = fc.option(fc.integer({ min: -1, max: 82 }), { nil: undefined, freq: 5 });
const changes = fc.uniqueArray(fc.record({ row: fc.integer({ min: 0, max: 2059 }), kind: value, size: value }), {
  selector: ({ row }) => row,
  maxLength: 80,
});
const requests = fc.record({
  changes,
  /** One row in this many matches. */
  step: fc.constantFrom(1, 2, 3, 40),
  start: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 2000 })),
  limit: fc.integer({ min: 1, max: 40 }),
  sort: fc.constantFrom(['kind'], ['size'], ['kind', 'size'], ['size', 'kind']),
  descending: fc.boolean(),
  nullIsLeast: fc.boolean(),
  /** The first sort key's stored values of the matches, if not all. */
  range: fc.option(fc.tuple(fc.integer({ min: 0, max: 150 }), fc.integer({ min: 0, max: 150 }))),
});

test('an index scan of a collection and a delta finds the same page as a plain sort', () => {
  fc.assert(
    fc.property(requests, ({ changes, step, start, limit, sort, descending, nullIsLeast, range }) => {
      const changed = changes.toSorted((a, b) => a.row - b.row);
      const segment = new Segment(base.collection, undefined, undefined, deltaOf(changed));
      const rowCount = segment.rowCount;
      const members = new BitSet(rowCount);
      const known = new Map(changed.map((row) => [row.row, row]));
      const { codes } = base.collection.columns.get(sort[0])!;
      const within = range && { low: 1 + range[0], high: 1 + range[0] + range[1] };
      const isWithin = (row: number) => !within || (codes[row] >= within.low && codes[row] < within.high);
      // rows beyond those of the collection are only in the delta
      for (let row = 0; row < rowCount; row += step) {
        if (known.has(row) || (row < storedRows && isWithin(row))) members.add(row);
      }
      const read = (name: string, row: number) => {
        const change = known.get(row);
        return change ? change[name as 'kind' | 'size'] : stored[name][row];
      };
      const expected = sorted([...members.toArray()], sort, { descending, nullIsLeast }, read).slice(
        start,
        start + limit,
      );
      const keys = sort.map((name) => ({ path: [name], descending, nullIsLeast }));
      const ranks = keys.map((key) => compileSortKey(viewOf(new Map()), segment, key));
      const window = { start, end: start + expected.length };
      expect([...scanBoth(segment, segment.delta!, members, keys[0], ranks, window, within)]).toEqual(expected);
    }),
    { numRuns: 500, seed: 7 },
  );
});

function deltaOf(changes: readonly { row: number; kind?: number; size?: number }[]): Delta {
  const rows = Uint32Array.from(changes, ({ row }) => row);
  const sources = Int32Array.from(rows, (_, i) => ~i);
  const replaced = new BitSet(storedRows);
  for (const row of rows) if (row < storedRows) replaced.add(row);
  const merge = (name: string) => {
    const { codes, dictionary } = columnOf(
      'integer',
      changes.map((change) => change[name as 'kind' | 'size']),
    );
    const written = Uint32Array.from(rows.keys());
    const rowsOfBatch = { sources, keepsRows: false, written, dropped: new Uint32Array(0) };
    return mergeColumn(base.collection.columns.get(name)!, null, { codes, values: dictionary as never }, rowsOfBatch);
  };
  return {
    ...{ rows, replaced, rowCount: Math.max(storedRows, (rows.at(-1) ?? 0) + 1), published: null },
    columns: new Map(names.map((name) => [name, merge(name)])),
    comparedTexts: new Map(),
  } as unknown as Delta;
}

/** Ties are in the order of rows. */
function sorted(
  rows: readonly number[],
  sort: readonly string[],
  { descending, nullIsLeast }: { descending: boolean; nullIsLeast: boolean },
  read: (name: string, row: number) => number | undefined,
): number[] {
  const direction = descending ? -1 : 1;
  const rank = (name: string, row: number) =>
    read(name, row) ?? (nullIsLeast ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  return [...rows].sort((a, b) => {
    for (const name of sort) {
      const [one, other] = [rank(name, a), rank(name, b)];
      if (one !== other) return direction * (one < other ? -1 : 1);
    }
    return a - b;
  });
}

function rowsOf<Value>(count: number, read: (row: number) => Value): Value[] {
  return Array.from({ length: count }, (_, row) => read(row));
}

/** Projections of a small store, compiled from selections and written as JSON. */
import { beforeAll, describe, expect, test } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { Condition, Populated, RelatedSelection, Selection } from '../../src/query/bound.ts';
import type { RequestView } from '../../src/query/plan/request-view.ts';
import { compileProjection, sharedParts } from '../../src/query/reply/compile-projection.ts';
import { DelimiterCache } from '../../src/query/reply/delimiters.ts';
import { JsonWriter } from '../../src/query/reply/json-writer.ts';
import type { EntryProjection } from '../../src/query/reply/projection.ts';
import { estimateSize } from '../../src/query/reply/size-estimate.ts';
import { writeEntries } from '../../src/query/reply/write-entries.ts';
import { collectionOf, type Store } from '../../src/store/store.ts';
import { thingSnapshot } from '../support/guide.ts';

const thing = 'api::thing.thing';
const everything: Selection = { fields: null, populate: [] };
const names: Selection = { fields: ['id', 'name'], populate: [] };

let store: Store;
beforeAll(async () => {
  const relation = (kind: string, rest: object = {}) => ({ type: 'relation', relation: kind, ...rest });
  const attributes = {
    name: { type: 'string' },
    rank: { type: 'integer' },
    next: relation('manyToOne', { target: thing }),
    others: relation('manyToMany', { target: thing }),
    any: relation('morphToMany'),
  };
  const any = [
    { __type: thing, documentId: 'c' },
    { __type: thing, documentId: 'a' },
  ];
  const entries = [
    { id: 1, documentId: 'a', name: 'A', rank: 3, next: 'b', others: ['c', 'b', 'a'], any },
    { id: 2, documentId: 'b', name: 'B', rank: 1 },
    { id: 3, documentId: 'c', name: 'C', rank: 2, next: 'a' },
  ];
  store = (await loadSnapshot(thingSnapshot(attributes, entries))).store;
});

interface Choices {
  readonly visible?: readonly number[];
  readonly wrapsAttributes?: boolean;
  readonly levelRows?: Uint32Array;
}

const setOf = (rows: readonly number[]) => {
  const set = new BitSet(3);
  for (const row of rows) set.add(row);
  return set;
};

function compile(selection: Selection, { visible, wrapsAttributes = false, levelRows }: Choices = {}): EntryProjection {
  const budget = new CostBudget(1e9);
  const view = { store, reachable: () => null, averageLinksBehind: () => 1, budget } as unknown as RequestView;
  const context = {
    view,
    visible: () => (visible ? setOf(visible) : null),
    // the only filter of these tests selects the row that is its operand
    rowsWhere: (_: unknown, condition: Condition) =>
      setOf(condition.kind === 'value' ? [Number(condition.operands[0])] : []),
    emitsNullLocale: false,
    isBelowPolymorphic: false,
    wrapsAttributes,
    delimiters: new DelimiterCache({ emitsEmptyPolymorphicAsNull: false }),
  };
  return compileProjection(context, collectionOf(store, thing), selection, levelRows ?? null);
}

function written(selection: Selection, rows: readonly number[], choices?: Choices): unknown {
  const projection = compile(selection, choices);
  const writer = new JsonWriter({ nodes: 1e6, bytes: 1e6 });
  writer.start(new CostBudget(1e9));
  writeEntries(writer, projection, rows);
  const body = writer.finish();
  const { bytes, nodes } = estimateSize(projection, rows, 1e9);
  expect(bytes).toBeLessThanOrEqual(body.length);
  expect(nodes).toBeGreaterThanOrEqual(rows.length);
  return JSON.parse(body.toString());
}

/** Populates an attribute with the names of related entries. */
function populated(
  attribute: string,
  rest: Partial<Populated> = {},
  selection: Partial<RelatedSelection> = {},
): Populated {
  const targets = { [thing]: { ...names, filter: null, everyStatus: false, ...selection } };
  return { attribute, count: false, wrapped: false, sort: null, targets, ...rest };
}

const selecting = (...populate: Populated[]): Selection => ({ fields: ['id'], populate });
const rowIs = (row: number): Condition =>
  ({ kind: 'value', attribute: 'id', comparison: 'equal', operands: [row], negated: false }) as Condition;
const [a, b, c] = ['A', 'B', 'C'].map((name, i) => ({ id: i + 1, name }));

describe('fragment ranges', () => {
  test.each<[string, readonly string[] | null, boolean, (count: number) => number[]]>([
    ['all attributes are one range', null, false, (count) => [0, count]],
    ['adjacent attributes share a range', ['id', 'documentId', 'name'], false, () => [0, 3]],
    ['a gap begins a new range', ['id', 'name', 'rank'], false, () => [0, 1, 2, 4]],
    ['an object `attributes` begins a new range', ['id', 'documentId', 'name'], true, () => [0, 2, 2, 3]],
  ])('%s', (_, fields, wrapsAttributes, expected) => {
    const { fragmentRanges, jsonRows } = compile({ fields, populate: [] }, { wrapsAttributes });
    expect(fragmentRanges).toEqual(expected(jsonRows.names.length));
  });

  test('entries are the stored fragments, in an object `attributes` if they are nested', () => {
    expect(written(everything, [1])).toMatchObject([{ id: 2, documentId: 'b', name: 'B', rank: 1 }]);
    const fields = ['id', 'documentId', 'rank'];
    expect(written({ fields, populate: [] }, [1], { wrapsAttributes: true })).toEqual([
      { id: 2, documentId: 'b', attributes: { rank: 1 } },
    ]);
  });
});

describe('relations', () => {
  test.each<[string, Populated, Choices, unknown]>([
    ['one entry', populated('next'), {}, b],
    ['one entry that is not visible', populated('next'), { visible: [0, 2] }, null],
    ['a list in the order of connection', populated('others'), {}, [c, b, a]],
    ['visible entries of a list', populated('others'), { visible: [0, 1] }, [b, a]],
    ['entries that a filter selects', populated('others', {}, { filter: rowIs(2) }), {}, [c]],
    ['a count of all', populated('others', { count: true }), {}, { count: 3 }],
    ['a count of visible entries', populated('others', { count: true }), { visible: [1] }, { count: 1 }],
    ['a wrapped list', populated('others', { wrapped: true }), { visible: [1] }, { data: [b] }],
    ['a sorted list', populated('others', { sort: [{ path: ['rank'], descending: false }] }), {}, [b, c, a]],
    [
      'a window of a sorted list',
      populated('others', { sort: [{ path: ['rank'], descending: true }], window: { from: 1, to: 2 } }),
      {},
      [c],
    ],
    ['a window in the order of connection', populated('others', { window: { from: 1, to: 5 } }), {}, [b, a]],
  ])('writes %s', (_, part, choices, expected) => {
    expect(written(selecting(part), [0], choices)).toEqual([{ id: 1, [part.attribute]: expected }]);
  });

  test('populates below related entries', () => {
    const inner = populated('next', {}, { populate: [populated('next')] });
    expect(written(selecting(inner), [2])).toEqual([{ id: 3, next: { ...a, next: b } }]);
  });
});

describe('polymorphic relations', () => {
  test.each<[string, Populated, Choices, unknown]>([
    ['entries with their type', populated('any'), {}, [c, a].map((entry) => ({ ...entry, __type: thing }))],
    ['visible entries', populated('any'), { visible: [0] }, [{ ...a, __type: thing }]],
    ['no entries of types that are not selected', populated('any', { targets: {} }), {}, []],
    ['a count of visible entries', populated('any', { count: true }), { visible: [2] }, { count: 1 }],
  ])('writes %s', (_, part, choices, expected) => {
    expect(written(selecting(part), [0], choices)).toEqual([{ id: 1, any: expected }]);
  });
});

test('parts with a filter, or a sort through a relation, are not shared by requests', () => {
  const selection = selecting(
    populated('next'),
    populated('others', {}, { filter: rowIs(0) }),
    populated('others', { sort: [{ path: ['next', 'rank'], descending: false }] }),
    populated('others', { sort: [{ path: ['rank'], descending: false }] }),
  );
  const projection = compile(selection);
  const { parts } = projection;
  expect(sharedParts(selection, projection, null)).toEqual([parts[0], undefined, undefined, parts[3]]);
});

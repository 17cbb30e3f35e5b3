/** The cost of a plan and of a sort is never less than the work that is done, whatever the content is. */
import { describe, expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import { countRows } from '../../src/core/sets/row-set.ts';
import type { Condition } from '../../src/query/bound.ts';
import type { Comparison } from '../../src/query/operators.ts';
import { maximumCost } from '../../src/query/plan/cost-model.ts';
import { planQuery } from '../../src/query/plan/planner.ts';
import { rankingCost } from '../../src/query/plan/sort-cost.ts';
import { compileSortKey } from '../../src/query/run/ranks.ts';
import { runPlan } from '../../src/query/run/run-plan.ts';
import type { Collection } from '../../src/store/collection.ts';
import { Column } from '../../src/store/columns/column.ts';
import type { Adjacency } from '../../src/store/links/adjacency.ts';
import type { Segment } from '../../src/store/segment.ts';
import { caseCount } from '../support/cases.ts';
import { type Content, everyStatus, findAll, segmentsOf, viewOf } from './segments.ts';

/** What reading one element takes at least, in cost units. Following a link takes a jump to distant memory. */
const readCosts = { value: 1, link: 2 };

const runs = caseCount(240, 120);

describe('work never costs more than is charged for it', () => {
  test('filters', () => {
    let links = 0;
    for (let seed = 0; seed < runs; seed++) {
      const { random, segments, view, reads } = randomContent(seed);
      const condition = randomCondition(random, 4);
      const { plan } = planQuery(view, segments.get('a')!, everyStatus, [condition], findAll);
      reads.cost = 0;
      const rows = runPlan(plan);
      countRows(rows);
      links += reads.cost;
      expect(reads.cost, `seed ${seed}: ${JSON.stringify(condition)}`).toBeLessThanOrEqual(maximumCost(plan));
    }
    expect(links).toBeGreaterThan(100 * runs);
  });

  test('sorts', () => {
    for (let seed = 0; seed < runs; seed++) {
      const { random, segments, view, reads } = randomContent(seed);
      const segment = segments.get('a')!;
      const path = [...randomList(random, 4, () => random.pick(['one', 'many'])), 'number'];
      const key = { path, descending: random.next() < 0.5 };
      const rows = segment.collection.allRows.toArray().filter(() => random.next() < 0.5);
      const rank = compileSortKey(view, segment, key);
      const cost = rankingCost(view, segment, [key], rows.length);
      reads.cost = 0;
      rank(rows);
      expect(reads.cost, `seed ${seed}: ${path.join('.')}`).toBeLessThanOrEqual(cost);
    }
  });
});

test('a hub two relations away is charged for its links', () => {
  // each of the rows 1 to 999 leads to its own row of b, all of which lead to the hub, row 0 of a
  const rowCount = 1000;
  const numbers = { number: { type: 'integer' as const, values: Array.from({ length: rowCount }, (_, i) => i) } };
  const own = Array.from({ length: rowCount }, (_, row) => [row]);
  const segments = segmentsOf({
    a: { rowCount, columns: numbers, links: { one: { target: 'b', rows: own } } },
    b: { rowCount, columns: numbers, links: { one: { target: 'a', rows: own.map(() => [0]) } } },
  });
  const isHub = { kind: 'value', attribute: 'number', comparison: 'equal', operands: [0], negated: false } as const;
  const related = (condition: Condition): Condition => ({ kind: 'related', attribute: 'one', condition });
  const costOf = (condition: Condition) => {
    const { plan } = planQuery(viewOf(segments), segments.get('a')!, everyStatus, [condition], findAll);
    return maximumCost(plan);
  };
  expect(costOf(related(related(isHub)))).toBeGreaterThan(costOf(isHub) + 2 * rowCount);
});

interface Reads {
  cost: number;
}

/** Two collections of up to 1500 rows, whose links lead to a few hubs more often than to other rows. */
function randomContent(seed: number) {
  const random = new Random(seed);
  const sizes: Record<string, number> = { a: random.integer(1, 1500), b: random.integer(1, 1500) };
  const contentOf = (uid: string): Content => {
    const rowCount = sizes[uid];
    const target = random.pick(['a', 'b']);
    const hubShare = random.next();
    const link = () => (random.next() < hubShare ? 0 : random.integer(0, sizes[target] - 1));
    const rows = (most: number) => Array.from({ length: rowCount }, () => randomList(random, most, link));
    const numbers = Array.from({ length: rowCount }, () => (random.next() < 0.1 ? undefined : random.integer(0, 30)));
    return {
      rowCount,
      columns: {
        number: { type: 'integer', values: numbers },
        text: { type: 'string', values: numbers.map((number) => number?.toString(2)) },
      },
      links: { one: { target, rows: rows(1) }, many: { target, rows: rows(random.pick([2, 8])) } },
    };
  };
  const reads: Reads = { cost: 0 };
  const segments = segmentsOf({ a: contentOf('a'), b: contentOf('b') });
  for (const { collection } of segments.values()) countReads(collection, reads);
  const drawn = new Map([...segments.values()].map((segment) => [segment, randomRows(random, segment.collection)]));
  const reachable = random.next() < 0.5 ? (segment: Segment) => drawn.get(segment)! : () => null;
  return { random, segments, view: viewOf(segments, { reachable }), reads };
}

function randomRows(random: Random, { rowCount }: Collection): BitSet {
  const rows = new BitSet(rowCount);
  for (let row = 0; row < rowCount; row++) if (random.next() < 0.7) rows.add(row);
  return rows;
}

function randomCondition(random: Random, depth: number): Condition {
  const related = (): Condition & { kind: 'related' } => ({
    kind: 'related',
    attribute: random.pick(['one', 'many']),
    condition: randomCondition(random, depth - 1),
  });
  switch (depth === 0 ? 'value' : random.pick(['value', 'related', 'related', 'not', 'all', 'any'])) {
    case 'related':
      return related();
    case 'not':
      return { kind: 'not', condition: related() };
    case 'all':
      return { kind: 'all', conditions: randomConditions(random, depth) };
    case 'any':
      return { kind: 'any', conditions: randomConditions(random, depth) };
    default:
      return randomComparison(random);
  }
}

function randomConditions(random: Random, depth: number): Condition[] {
  return randomList(random, 3, () => randomCondition(random, depth - 1));
}

function randomComparison(random: Random): Condition {
  const attribute = random.pick(['number', 'text']);
  const comparison = random.pick<Comparison>(['equal', 'less', 'oneOf', 'contains', 'isNull']);
  const operand = () => (attribute === 'number' ? random.integer(-1, 31) : random.integer(0, 31).toString(2));
  const count = comparison === 'isNull' ? 0 : comparison === 'oneOf' ? random.integer(1, 20) : 1;
  const operands = Array.from({ length: count }, operand);
  return { kind: 'value', attribute, comparison, operands, negated: random.next() < 0.3 };
}

function randomList<Item>(random: Random, most: number, draw: () => Item): Item[] {
  return Array.from({ length: random.integer(0, most) }, draw);
}

/** Counts what is read of the columns and links of a collection. */
function countReads(collection: Collection, reads: Reads): void {
  const { columns, links } = collection as unknown as {
    columns: Map<string, Column>;
    links: Map<string, Record<string, Adjacency>>;
  };
  for (const [name, { codes, dictionary, index }] of columns) {
    const { offsets, rows, bitmaps } = index;
    const column = new Column(counted(codes, readCosts.value, reads), dictionary, {
      offsets: counted(offsets, readCosts.value, reads),
      rows: counted(rows, readCosts.value, reads),
      bitmaps,
    });
    columns.set(name, column);
  }
  for (const pair of links.values()) {
    for (const [direction, links] of Object.entries(pair)) {
      pair[direction] = {
        ...links,
        offsets: counted(links.offsets, readCosts.value, reads),
        targets: counted(links.targets, readCosts.link, reads),
      };
    }
  }
}

/** The same numbers. Adds `price` to `reads` for each of them that is read, alone or as part of a slice. */
function counted(numbers: Uint32Array, price: number, reads: Reads): Uint32Array {
  return new Proxy(numbers, {
    get(all, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads.cost += price;
      const value = Reflect.get(all, key);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const result = Reflect.apply(value, all, given);
        if (result instanceof Uint32Array) reads.cost += price * result.length;
        return result;
      };
    },
  });
}

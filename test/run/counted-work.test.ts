/** The cost of a request is counted in advance. Work that is not counted grows only with the length of the query. */
import fc from 'fast-check';

import { beforeAll, describe, expect, test, vi } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import { type Content, open } from '../../src/index.ts';
import type { ScalarType } from '../../src/model/schema/schema.ts';
import type { RequestView } from '../../src/query/plan/request-view.ts';
import { compileSortKey } from '../../src/query/run/ranks.ts';
import { LinkAverages } from '../../src/query/visible/link-averages.ts';
import { DerivedRegistry } from '../../src/query/visible/registry.ts';
import type { Collection } from '../../src/store/collection.ts';
import { BigIntegerDictionary, type NumberDictionary } from '../../src/store/columns/number-dictionary.ts';
import { type Adjacency, adjacencyFromPairs } from '../../src/store/links/adjacency.ts';
import { mostLinks } from '../../src/store/links/link-counts.ts';
import { Segment } from '../../src/store/segment.ts';
import type { MatchMode } from '../../src/store/texts/pattern.ts';
import { buildColumn, buildNumberDictionary } from '../../src/store/writer/columns/column-builder.ts';
import { buildTextDictionary, copySorted } from '../../src/store/writer/text/text-column-builder.ts';
import { openGazette } from '../conformance/gazette.ts';
import { ask, thingSnapshot } from '../support/guide.ts';

describe('names of a sort', () => {
  let gazette: Content;
  beforeAll(async () => {
    gazette = await openGazette();
  });

  const path = (names: number) => `sort=${'parent.'.repeat(names)}name`;

  test('a path that is too deep is rejected before its names are resolved', async () => {
    const { status, body } = await ask(gazette, '/api/categories', path(2200));
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ details: { limit: 20, setting: 'budgets.depth' } });
  });

  test('the text that is split grows linearly with the length of a sort path', async () => {
    const deep = await open(
      thingSnapshot(
        { title: { type: 'string' }, parent: { type: 'relation', relation: 'oneToOne', target: 'api::thing.thing' } },
        [],
      ),
      { dialect: 'strapi', budgets: { depth: 200 } },
    );
    const takenApart = async (names: number) => {
      const split = vi.spyOn(String.prototype, 'split');
      const { status } = await ask(deep, '/api/things', `sort=${'parent.'.repeat(names - 1)}title`);
      expect(status).toBe(200);
      const length = split.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0);
      split.mockRestore();
      return length;
    };
    await takenApart(2);
    expect(await takenApart(200)).toBeLessThan(2.2 * (await takenApart(100)));
  });
});

describe('steps of a search', () => {
  const size = 1000;
  const stepsOf = (search: (work: CostBudget) => unknown): number => {
    const work = new CostBudget(Number.POSITIVE_INFINITY);
    search(work);
    return work.charged;
  };
  const numbers = (type: ScalarType, at: (i: number) => number) =>
    buildNumberDictionary(
      Float64Array.from({ length: size }, (_, i) => at(i)),
      type,
    );
  const day = 86_400_000;

  test.each<[string, NumberDictionary | BigIntegerDictionary, number]>([
    ['whole numbers', numbers('integer', (i) => i), 55],
    ['negative numbers', numbers('integer', (i) => i - size), 105],
    ['prices', numbers('decimal', (i) => i + 0.25), 65],
    ['long fractions', numbers('float', (i) => Math.sqrt(i + 0.5)), 200],
    ['dates', numbers('date', (i) => i * day), 55],
    ['times', numbers('time', (i) => i * 1000), 50],
    ['datetimes', numbers('datetime', (i) => i * day + i), 75],
    ['64-bit integers', new BigIntegerDictionary(BigInt64Array.from({ length: size }, (_, i) => BigInt(i))), 110],
  ])('each of the %s is charged for its text', (_name, dictionary, perValue) => {
    const search = (work: CostBudget) => dictionary.search('7', 'anywhere', 'exact', work);
    expect(stepsOf(search)).toBe(size * perValue);
    // the same each time, whatever was kept of the first
    expect(stepsOf(search)).toBe(size * perValue);
    expect(stepsOf((work) => dictionary.search('x', 'anywhere', 'exact', work))).toBe(0);
  });

  test('an anchored search costs the same for every text length', () => {
    const dictionary = (filling: number) => {
      const texts = Array.from({ length: 50 }, (_, i) => `${String(i).padStart(2, '0')}${'x'.repeat(filling)}o`);
      const starts = Uint32Array.from({ length: texts.length + 1 }, (_, i) => i * texts[0].length);
      return buildTextDictionary(copySorted(Buffer.from(texts.join('')), starts, Uint32Array.from(texts.keys())));
    };
    const steps = (filling: number, mode: MatchMode) =>
      stepsOf((work) => dictionary(filling).search('o', mode, 'exact', work));
    for (const mode of ['start', 'end', 'whole'] as const) expect(steps(200, mode)).toBe(steps(20, mode));
    expect(steps(200, 'anywhere')).toBeGreaterThan(2 * steps(200, 'end'));
  });

  test('a search is charged for the whole text, more with wildcards, most if it begins with one', () => {
    const texts = Array.from({ length: 100 }, (_, i) => `${'other '.repeat(10)}${String(i).padStart(3, '0')}`);
    const source = Buffer.from(texts.join(''));
    const length = texts[0].length;
    const starts = Uint32Array.from({ length: texts.length + 1 }, (_, i) => i * length);
    const dictionary = buildTextDictionary(copySorted(source, starts, Uint32Array.from(texts.keys())));
    const steps = (needle: string, mode: MatchMode) =>
      stepsOf((work) => dictionary.search(needle, mode, 'folded', work));
    const plain = steps('o', 'anywhere');
    expect(plain).toBeGreaterThan(texts.length * length);
    expect(steps('o_r', 'wildcard')).toBeCloseTo(2 * plain);
    expect(steps('_o_r_', 'wildcard')).toBeCloseTo(4 * plain);
    expect(steps('o__r', 'wildcard')).toBeCloseTo(4 * plain);
  });
});

describe('links of rows', () => {
  const randomLinks = fc
    .array(fc.array(fc.nat({ max: 19 }), { maxLength: 12 }), { minLength: 20, maxLength: 20 })
    .map(linksOf);

  test('the maximum of links for a number of rows is an upper bound', () => {
    fc.assert(
      fc.property(randomLinks, fc.integer({ min: 0, max: 20 }), (links, rows) => {
        const counts = Array.from({ length: 20 }, (_, row) => links.offsets[row + 1] - links.offsets[row]);
        const most = counts.sort((a, b) => b - a).slice(0, rows);
        const sum = most.reduce((total, count) => total + count, 0);
        expect(mostLinks(links, rows)).toBeGreaterThanOrEqual(sum);
        // between two powers of two it is no more than the greater of them says
        expect(mostLinks(links, rows)).toBeLessThanOrEqual(2 * sum);
      }),
    );
  });

  test('rows count once per link that reaches them', () => {
    // nine rows lead to row 0, which has ten links; row 9 leads to row 1, which has none
    const before = linksOf([...Array(9).fill([0]), [1]]);
    const links = linksOf([Array(10).fill(0), ...Array(9).fill([])]);
    const registry = new DerivedRegistry(2 ** 20);
    const averages = new LinkAverages(registry);
    expect([1, 2].map(() => averages.average(before, links))).toEqual([9, 9]);
    expect(averages.average(links, before)).toBe(1);
    // the second time it is not counted again
    expect(registry.statistics).toMatchObject({ hits: 1, misses: 2 });
  });
});

test('a sort follows the links of each row once, however often it is reached', () => {
  const rows = 400;
  let read = 0;
  const hub = linksOf(Array(rows).fill([0]));
  const spokes = linksOf([Array.from({ length: rows }, (_, row) => row), ...Array(rows - 1).fill([])]);
  const targets = new Proxy(spokes.targets, {
    get(all, key) {
      if (/^\d+$/.test(String(key))) read++;
      const value = Reflect.get(all, key);
      return typeof value === 'function' ? value.bind(all) : value;
    },
  });
  const relation = { kind: 'relation', target: 'thing' };
  const title = buildColumn(
    Uint32Array.from({ length: rows }, (_, row) => row + 1),
    buildNumberDictionary(
      Float64Array.from({ length: rows }, (_, i) => i),
      'integer',
    ),
  );
  const things = {
    number: 0,
    rowCount: rows,
    allRows: BitSet.full(rows),
    type: {
      attributes: new Map([
        ['hub', relation],
        ['spokes', relation],
      ]),
    },
    links: new Map([
      ['hub', { forward: hub }],
      ['spokes', { forward: { ...spokes, targets } }],
    ]),
    columns: new Map([['title', title]]),
    comparedTexts: new Map(),
  } as unknown as Collection;
  const segment = new Segment(things);
  const store = { byUid: new Map([['thing', things]]), segments: [segment] };
  const view = { store, query: {}, reachable: () => null, joinedValues: () => null } as unknown as RequestView;
  const rank = compileSortKey(view, segment, { path: ['hub', 'spokes', 'title'], descending: false });
  expect(new Set(rank(things.allRows.toArray()))).toEqual(new Set([1]));
  expect(read).toBeLessThan(4 * rows);
});

test('estimating a long reply is charged', async () => {
  const long = async (bytes: number) => {
    const entries = Array.from({ length: 100 }, (_, i) => ({
      id: i + 1,
      documentId: `thing-${i}`,
      title: 'x'.repeat(bytes),
    }));
    const content = await open(thingSnapshot({ title: { type: 'text' } }, entries), { cacheBytes: 0 });
    const charge = vi.spyOn(CostBudget.prototype, 'charge');
    const { status } = await ask(content, '/api/things', 'pagination[pageSize]=100');
    expect(status).toBe(200);
    const calls = charge.mock.calls.length;
    charge.mockRestore();
    return calls;
  };
  const once = await long(1000);
  expect(await long(11_000)).toBe(once + 1);
});

function linksOf(rows: readonly (readonly number[])[]): Adjacency {
  const sources = rows.flatMap((targets, row) => targets.map(() => row));
  return adjacencyFromPairs(Uint32Array.from(sources), Uint32Array.from(rows.flat()), rows.length);
}

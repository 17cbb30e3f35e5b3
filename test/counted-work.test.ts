/** What a request costs is counted before it is done, and what is not counted grows with the length of the query. */
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { CostBudget } from '../src/base/cost-budget.ts';
import { type Content, open } from '../src/index.ts';
import type { ScalarType } from '../src/model/schema.ts';
import { searchTextOf } from '../src/model/search-text.ts';
import type { Anchor } from '../src/store/dictionary.ts';
import { BigIntegerDictionary, NumberDictionary } from '../src/store/number-dictionary.ts';
import { TextDictionary } from '../src/store/text/text-dictionary.ts';
import { openGazette } from './conformance/gazette.ts';
import { ask, thingSnapshot } from './support/guide.ts';

afterEach(() => vi.restoreAllMocks());

describe('names of a sort', () => {
  let gazette: Content;
  beforeAll(async () => {
    gazette = await openGazette();
  });

  const path = (names: number) => `sort=${'parent.'.repeat(names)}name`;

  test('a path that is too deep is refused before its names are looked up', async () => {
    const { status, body } = await ask(gazette, '/api/categories', path(2200));
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ details: { limit: 20, setting: 'budgets.depth' } });
  });

  test('as much text is taken apart as the query has', async () => {
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
    new NumberDictionary(
      Float64Array.from({ length: size }, (_, i) => at(i)),
      searchTextOf(type),
    );
  const day = 86_400_000;

  test.each<[string, NumberDictionary | BigIntegerDictionary, number]>([
    ['whole numbers', numbers('integer', (i) => i), 30],
    ['negative numbers', numbers('integer', (i) => i - size), 70],
    ['prices', numbers('decimal', (i) => i + 0.25), 40],
    ['long fractions', numbers('float', (i) => Math.sqrt(i + 0.5)), 160],
    ['dates', numbers('date', (i) => i * day), 45],
    ['times', numbers('time', (i) => i * 1000), 40],
    ['datetimes', numbers('datetime', (i) => i * day + i), 60],
    ['64-bit integers', new BigIntegerDictionary(BigInt64Array.from({ length: size }, (_, i) => BigInt(i))), 80],
  ])('each of the %s is charged what its text takes', (_name, dictionary, perValue) => {
    const search = (work: CostBudget) => dictionary.search('7', 'anywhere', false, work);
    expect(stepsOf(search)).toBe(size * perValue);
    // the same each time, whatever was kept of the first
    expect(stepsOf(search)).toBe(size * perValue);
    expect(stepsOf((work) => dictionary.search('x', 'anywhere', false, work))).toBe(0);
  });

  test('a text is charged for its whole length, more with gaps, most where it begins with one', () => {
    const texts = Array.from({ length: 100 }, (_, i) => `${'other '.repeat(10)}${String(i).padStart(3, '0')}`);
    const source = Buffer.from(texts.join(''));
    const length = texts[0].length;
    const starts = Uint32Array.from({ length: texts.length + 1 }, (_, i) => i * length);
    const dictionary = TextDictionary.ofBytes(source, starts, Uint32Array.from(texts.keys()));
    const steps = (needle: string, anchor: Anchor) => stepsOf((work) => dictionary.search(needle, anchor, true, work));
    const plain = steps('o', 'anywhere');
    expect(plain).toBeGreaterThan(texts.length * length);
    expect(steps('o_r', 'gaps')).toBeCloseTo(2 * plain);
    expect(steps('_o_r_', 'gaps')).toBeCloseTo(4 * plain);
    expect(steps('o__r', 'gaps')).toBeCloseTo(4 * plain);
  });
});

// JSON in filters has the same depth limit as JSON in content, whatever the remaining stack.
import { describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { comparedJsonText, isDeeperThan } from '../../src/model/schema/compared-texts.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';

const levels = 200;

const shapes: [string, (depth: number) => string][] = [
  ['lists', (depth) => '['.repeat(depth) + ']'.repeat(depth)],
  ['objects', (depth) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`],
  ['lists in objects', (depth) => `${'{"a":'.repeat(depth - 1)}[1]${'}'.repeat(depth - 1)}`],
  ['one deep member among others', (depth) => `[1,{"a":2},${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}]`],
];

function openDeep(json: string): Promise<Content> {
  const entries = [
    { documentId: 'deep', extra: JSON.parse(json) },
    { documentId: 'flat', extra: {} },
  ];
  const tokens = [{ name: 'all', sha256: sha256('all'), type: 'full-access' as const }];
  return open(thingSnapshot({ extra: { type: 'json' } }, entries), { dialect: 'strapi', tokens });
}

const urlOf = (operator: string, json: string) => `/api/things?filters[extra][${operator}]=${encodeURIComponent(json)}`;

/** Calls with about half of the stack in use. */
function deepInStack<T>(run: () => T): T {
  let depth = 0;
  const measure = () => {
    depth++;
    measure();
  };
  try {
    measure();
  } catch {
    // the stack is full
  }
  const descend = (left: number): T => (left === 0 ? run() : descend(left - 1));
  return descend(Math.floor(depth / 2));
}

describe.each(shapes)('%s', (_shape, ofDepth) => {
  test('are accepted with 200 levels and rejected with 201', async () => {
    const content = await openDeep(ofDepth(levels));
    for (const operator of ['$eq', '$in', '$ne']) {
      const found = await content.answer(urlOf(operator, ofDepth(levels)));
      expect(found.status).toBe(200);
      const { data } = JSON.parse(found.body.toString());
      expect(data.map((entry: { documentId: string }) => entry.documentId)).toEqual([
        operator === '$ne' ? 'flat' : 'deep',
      ]);
      for (const depth of [levels + 1, levels + 2, 1000]) {
        const refused = await content.answer(urlOf(operator, ofDepth(depth)));
        expect(refused.status).toBe(400);
        expect(JSON.parse(refused.body.toString()).error).toMatchObject({
          name: 'ValidationError',
          message: expect.stringContaining('expected JSON of at most 200 levels'),
        });
      }
    }
  });

  test('have the same limit with half of the stack in use, and in the library', async () => {
    const content = await openDeep(ofDepth(levels));
    const find = (depth: number) => deepInStack(() => content.find('things', { filters: { extra: ofDepth(depth) } }));
    expect(find(levels).data).toHaveLength(1);
    for (const depth of [levels + 1, 100_000]) expect(() => find(depth)).toThrow('expected JSON of at most 200 levels');
  });

  test('are counted to their exact depth', () => {
    const value = JSON.parse(ofDepth(levels));
    expect(isDeeperThan(value, levels)).toBe(false);
    expect(isDeeperThan(value, levels - 1)).toBe(true);
  });
});

test('a string of JSON deeper than 200 levels is a plain string', () => {
  const [, lists] = shapes[0];
  expect(comparedJsonText(lists(levels), 'jsonb')).toBe(lists(levels));
  expect(comparedJsonText(lists(levels + 1), 'jsonb')).toBe(JSON.stringify(lists(levels + 1)));
  expect(comparedJsonText(lists(100_000), 'jsonb')).toBe(JSON.stringify(lists(100_000)));
});

test('invalid JSON is still reported as such', async () => {
  const content = await openDeep('[]');
  const refused = await content.answer(urlOf('$eq', '[[['));
  expect(refused.status).toBe(400);
  expect(JSON.parse(refused.body.toString()).error.message).toMatch(/expected JSON$/);
});

import { beforeAll, describe, expect, test } from 'vitest';
import { shownPageOf, turnedPage } from '../../src/explorer/controls/pages.ts';
import { chipAt, chipOfFacet } from '../../src/explorer/filters/new-filters.ts';
import { isComplete, operandOf, wordsOf } from '../../src/explorer/filters/operator-words.ts';
import { countingUrl } from '../../src/explorer/filters/value-counts.ts';
import { completePath, facetPaths, stepsOf } from '../../src/explorer/paths/attribute-paths.ts';
import { planRows } from '../../src/explorer/plan/plan-layout.ts';
import { parseUrl } from '../../src/explorer/query/parse-url.ts';
import { printUrl } from '../../src/explorer/query/print-url.ts';
import { routeOf } from '../../src/explorer/state/schema-index.ts';
import { setCountAt, setFieldsAt, toggleFieldAt, togglePopulatedAt } from '../../src/explorer/tree/edit-tree.ts';
import { operators } from '../../src/query/operators.ts';
import { demoType, describedDemo } from './described-demo.ts';

/** What the page offers follows the schema, through relations. */

let schema: Awaited<ReturnType<typeof describedDemo>>;
beforeAll(async () => {
  schema = await describedDemo();
});

const article = () => demoType(schema, 'article');

describe('paths', () => {
  test('end at an attribute, and a relation is completed with the name of its target', () => {
    expect(completePath(schema, article(), ['author', 'team'])).toEqual(['author', 'team', 'name']);
    expect(completePath(schema, article(), ['seo'])).toEqual(['seo', 'metaTitle']);
    expect(completePath(schema, article(), ['title'])).toEqual(['title']);
    for (const path of [
      ['cover'],
      ['cover', 'related'],
      ['parts'],
      ['nothing'],
      ['title', 'x'],
      ['author', 'nothing'],
    ]) {
      expect(completePath(schema, article(), path), path.join('.')).toBeNull();
    }
    expect(stepsOf(schema, article(), ['author', 'team', 'league'])?.map(({ type }) => type.singularName)).toEqual([
      'article',
      'author',
      'team',
    ]);
    expect(stepsOf(schema, article(), ['author'])).toBeNull();
  });

  test('a chip that moves keeps the operator and value that fit', () => {
    const chip = { kind: 'chip', path: ['title'], operator: '$startsWith', value: 'A' } as const;
    expect(chipAt(schema, article(), ['author'], chip)).toEqual({ ...chip, path: ['author', 'name'] });
    expect(chipAt(schema, article(), ['body'], chip)).toMatchObject({ path: ['body'], operator: '$notNull' });
    expect(chipAt(schema, article(), ['premium'], chip)).toMatchObject({ operator: '$eq', value: 'true' });
    expect(chipAt(schema, article(), ['kind'], chip)).toMatchObject({ operator: '$eq', value: 'essay' });
    expect(chipAt(schema, article(), ['kind'], { ...chip, value: '' })).toMatchObject({ operator: '$eq', value: '' });
  });

  test('facets count enumerations, booleans and the names of related entries', () => {
    expect(facetPaths(schema, article())).toEqual(expect.arrayContaining(['kind', 'premium', 'author.name']));
    expect(chipOfFacet('author.name', 'Ada')).toMatchObject({
      path: ['author', 'name'],
      operator: '$eq',
      value: 'Ada',
    });
    expect(chipOfFacet('kind', null)).toMatchObject({ operator: '$null', value: 'true' });
  });

  test('values are counted in the list without the filter that they are for', () => {
    const query = parseUrl('articles?filters[kind]=essay&filters[id][$gt]=3&sort=title&populate=*&locale=de&_q=a');
    expect(countingUrl(query, 0, 'kind')).toBe(
      'articles?filters[id][$gt]=3&fields=id&pagination[pageSize]=1&locale=de&_q=a&facets=kind',
    );
  });
});

describe('operators', () => {
  test('all have words and take what the server expects', () => {
    const title = article().attributes.find(({ name }) => name === 'title')!;
    for (const [operator, { operand }] of Object.entries(operators)) {
      expect(wordsOf(operator, title)).not.toBe(operator);
      const expected = { value: 'a', text: 'a', list: ['a'], pair: ['a', 'a'], boolean: 'true' }[operand];
      expect(operandOf(operator, ['a']), operator).toEqual(expected);
    }
  });

  test('a filter is complete once it has all its values', () => {
    const chip = { kind: 'chip', path: ['id'] } as const;
    expect(isComplete({ ...chip, operator: '$eq', value: '' })).toBe(false);
    expect(isComplete({ ...chip, operator: '$between', value: ['1', ''] })).toBe(false);
    expect(isComplete({ ...chip, operator: '$in', value: [] })).toBe(false);
    expect(isComplete({ ...chip, operator: '$in', value: ['1'] })).toBe(true);
  });
});

describe('the tree', () => {
  const author = () => ({ at: ['author'], type: demoType(schema, 'author') });

  test('a field below what is not populated populates it with this field only', () => {
    const query = parseUrl('articles');
    expect(printUrl(toggleFieldAt(query, schema, article(), author(), 'name'))).toBe(
      'articles?populate[author][fields]=name',
    );
  });

  test('a change below populate=* keeps everything else populated', () => {
    const query = parseUrl('articles?populate=*');
    const changed = togglePopulatedAt(query, schema, article(), author(), 'team');
    expect(changed.selection.populate.map(({ attribute }) => attribute)).toEqual(
      expect.arrayContaining(['author', 'cover', 'parts']),
    );
    expect(printUrl(changed)).toContain('populate[author][populate][team]=true');
  });

  test('the number of related entries takes the place of the entries', () => {
    const counted = setCountAt(
      parseUrl('articles?populate=*'),
      schema,
      article(),
      { at: [], type: article() },
      'places',
      true,
    );
    expect(printUrl(counted)).toContain('&populate[categories]=true&populate[places][count]=true&');
    const below = setCountAt(
      parseUrl('articles?populate=author.articles'),
      schema,
      article(),
      author(),
      'articles',
      true,
    );
    expect(printUrl(below)).toBe('articles?populate[author][populate][articles][count]=true');
    expect(printUrl(setCountAt(below, schema, article(), author(), 'articles', false))).toBe(
      'articles?populate[author][populate][articles]=true',
    );
  });

  test('all fields and none', () => {
    const query = parseUrl('articles?fields=title');
    expect(printUrl(setFieldsAt(query, schema, article(), { at: [], type: article() }, null))).toBe('articles');
    const none = setFieldsAt(query, schema, article(), author(), ['id']);
    expect(printUrl(none)).toBe('articles?fields=title&populate[author][fields]=id');
    expect(printUrl(toggleFieldAt(none, schema, article(), author(), 'name'))).toBe(
      'articles?fields=title&populate[author][fields]=name',
    );
  });
});

test('a path belongs to the route that answers it', () => {
  expect(routeOf(schema, 'articles')?.kind).toBe('page');
  expect(routeOf(schema, 'articles/abc')?.kind).toBe('document');
  expect(routeOf(schema, 'homepage')?.kind).toBe('single');
  expect(routeOf(schema, 'nothing')).toBeNull();
});

test.each([
  [{}, { page: 1, pageSize: 25, total: 60 }, 1, { page: '2' }],
  [{ page: '2', pageSize: '10' }, { page: 2, pageSize: 10, total: 60 }, -1, { pageSize: '10' }],
  [{ start: '10', limit: '5' }, { start: 10, limit: 5, total: 60 }, 1, { start: '15', limit: '5' }],
  [{ limit: '5' }, { start: 0, limit: 5 }, -1, { limit: '5', start: '0' }],
])('page %j of %j, and %d further', (page, pagination, step, expected) => {
  expect(turnedPage(page, shownPageOf({ meta: { pagination } })!, step)).toEqual(expected);
});

test('a plan is drawn outer parts first, with lines, shares and misses', () => {
  const part = (text: string, estimate: number, actual: number | null, parts: object[] = []) =>
    ({ kind: parts.length > 0 ? 'and' : 'values', type: 'a', text, estimate, actual, of: 100, parts }) as never;
  const rows = planRows(part('and', 50, 5, [part('or', 20, 20, [part('x', 10, null)]), part('y', 100, 300)]));
  expect(rows.map((row) => [row.lines, row.estimate, row.actual, row.misses])).toEqual([
    [[], 0.5, 0.05, 8.5],
    [[true], 0.2, 0.2, null],
    [[true, false], 0.1, null, null],
    [[false], 1, 1, 3],
  ]);
});

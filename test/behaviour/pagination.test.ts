// "Sort and pagination" of the behaviour page: the pages, as the recordings have them, in both dialects.
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { ask, openGuide, thingSnapshot } from '../support/guide.ts';

const first14 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 40];

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide({ dialect });
  });
  async function page(query: string): Promise<[ids: number[], pagination: unknown]> {
    const { status, body } = await ask(content, '/api/restaurants', `fields=id&${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    const ids = (body.data as { id: number }[]).map(({ id }) => id);
    return [ids, (body.meta as { pagination: unknown }).pagination];
  }

  test.each<[title: string, query: string, ids: number[], pagination: object]>([
    ['no parameters', 'sort=id', first14, { page: 1, pageSize: 25, pageCount: 1, total: 14 }],
    ['page alone', 'pagination[page]=2', [], { page: 2, pageSize: 25, pageCount: 1, total: 14 }],
    [
      'page and pageSize',
      'pagination[page]=2&pagination[pageSize]=5',
      [6, 7, 8, 9, 10],
      { page: 2, pageSize: 5, pageCount: 3, total: 14 },
    ],
    [
      'a pageSize above the most',
      'pagination[pageSize]=1000',
      first14,
      { page: 1, pageSize: 100, pageCount: 1, total: 14 },
    ],
    ['pageSize 0 is 1', 'pagination[pageSize]=0', [1], { page: 1, pageSize: 1, pageCount: 14, total: 14 }],
    ['pageSize -1 is 1', 'pagination[pageSize]=-1', [1], { page: 1, pageSize: 1, pageCount: 14, total: 14 }],
    ['a page after the last', 'pagination[page]=999', [], { page: 999, pageSize: 25, pageCount: 1, total: 14 }],
    ['page 0 is 1', 'pagination[page]=0', first14, { page: 1, pageSize: 25, pageCount: 1, total: 14 }],
    ['page -1 is 1', 'pagination[page]=-1', first14, { page: 1, pageSize: 25, pageCount: 1, total: 14 }],
    ['start and limit', 'pagination[start]=2&pagination[limit]=3', [3, 4, 5], { start: 2, limit: 3, total: 14 }],
    ['start alone', 'pagination[start]=12', [13, 40], { start: 12, limit: 25, total: 14 }],
    ['limit -1 is 1', 'pagination[limit]=-1', [1], { start: 0, limit: 1, total: 14 }],
    ['a limit above the most', 'pagination[limit]=1000', first14, { start: 0, limit: 100, total: 14 }],
    ['withCount=true', 'pagination[withCount]=true', first14, { page: 1, pageSize: 25, pageCount: 1, total: 14 }],
    ['withCount=false', 'pagination[withCount]=false', first14, { page: 1, pageSize: 25 }],
    [
      'withCount=false by offset',
      'pagination[withCount]=false&pagination[start]=1&pagination[limit]=2',
      [2, 3],
      { start: 1, limit: 2 },
    ],
    ['nothing matches', 'filters[id]=0', [], { page: 1, pageSize: 25, pageCount: 0, total: 0 }],
    [
      'the total counts each entry once',
      'filters[categories][rank][$gte]=1&pagination[pageSize]=4',
      [1, 2, 4, 5],
      { page: 1, pageSize: 4, pageCount: 3, total: 9 },
    ],
  ])('%s', async (_title, query, ids, pagination) => {
    expect(await page(query)).toEqual([ids, pagination]);
  });

  test('a page that is not a number is an error', async () => {
    const { status, body } = await ask(content, '/api/restaurants', 'pagination[page]=a');
    expect(status).toBe(400);
    const recorded = { message: 'convertStartQueryParams expected a positive integer got NaN', details: {} };
    const explained = {
      message: 'Invalid value "a" for pagination[page]: expected a whole number',
      details: { key: 'page', path: 'page', source: 'query', param: 'pagination', value: 'a' },
    };
    const said = dialect === 'strapi' ? recorded : explained;
    expect(body.error).toEqual({ status: 400, name: 'ValidationError', ...said });
  });

  test('a start that is not a number is an error', async () => {
    const { status, body } = await ask(content, '/api/restaurants', 'pagination[start]=a');
    expect(status).toBe(400);
    expect(body.error?.name).toBe('ValidationError');
  });

  // a real service takes the largest size there is; a mistake that widens the answer is refused elsewhere
  test.each(['pagination[pageSize]=a', 'pagination[limit]=a'])(
    'a size that is not a number is an error or the maximum: %s',
    async (query) => {
      const { status, body } = await ask(content, '/api/restaurants', query);
      expect(status).toBe(dialect === 'strapi' ? 200 : 400);
      if (dialect === 'strapi') expect(body.data).toHaveLength(first14.length);
      else expect(body.error?.name).toBe('ValidationError');
    },
  );

  test.each([
    'pagination[start]=2&pagination[pageSize]=3',
    'pagination[page]=1&pagination[limit]=3',
    'pagination[page]=1&pagination[start]=3',
  ])('mixed modes: %s', async (query) => {
    const { status, body } = await ask(content, '/api/restaurants', query);
    expect(status).toBe(400);
    const message = 'Cannot use both page & offset pagination in the same query';
    expect(body.error).toMatchObject({ status: 400, name: 'PaginationError' });
    if (dialect === 'strapi') expect(body.error).toMatchObject({ message, details: {} });
    else {
      const [offset] = /start|limit/.exec(query)!;
      const [page] = /pageSize|page(?=\])/.exec(query)!;
      expect(body.error!.message).toBe(`${message}: ${page} and ${offset}`);
      expect(body.error!.details).toEqual({ key: offset, path: offset, source: 'query', param: 'pagination' });
    }
  });
});

// Strapi prints a list without brackets, and reads a number from that text
test.each([
  ['page[0]=a', "Invalid 'page' parameter. Expected an integer > 0, received: a"],
  ['pageSize[0][0]=1&pageSize[1]', "Invalid 'pageSize' parameter. Expected an integer > 0, received: 1,"],
  ['page[a]=1', "Invalid 'page' parameter. Expected an integer > 0, received: [object Object]"],
  ['page=', "Invalid 'page' parameter. Expected an integer > 0, received: "],
  ['start[0]=0&start[1]=2', 'convertStartQueryParams expected a positive integer got NaN'],
  ['page[0]=1', undefined],
  ['page', undefined],
  ['page=1e1', undefined],
  ['pageSize=05', undefined],
  ['limit[0][0]=1', undefined],
])('one entry takes page parameters as Strapi does: %s', async (query, message) => {
  const content = await openGuide({ dialect: 'strapi' });
  const { body: list } = await ask(content, '/api/restaurants', 'pagination[limit]=1');
  const [{ documentId }] = list.data as { documentId: string }[];
  const { status, body } = await ask(content, `/api/restaurants/${documentId}`, query);
  expect([status, body.error?.message]).toEqual([message ? 400 : 200, message]);
});

test('the default and the maximum page size are configurable', async () => {
  const content = await openGuide({ defaultLimit: 2, maxLimit: 3 });
  const meta = async (query: string) => (await ask(content, '/api/restaurants', query)).body.meta;
  expect(await meta('')).toEqual({ pagination: { page: 1, pageSize: 2, pageCount: 7, total: 14 } });
  expect(await meta('pagination[pageSize]=9')).toEqual({
    pagination: { page: 1, pageSize: 3, pageCount: 5, total: 14 },
  });
  expect(await meta('pagination[limit]=9')).toEqual({ pagination: { start: 0, limit: 3, total: 14 } });
});

test('a page has at most 100 entries by default', async () => {
  const entries = Array.from({ length: 101 }, (_, index) => ({ documentId: `t${index}` }));
  const content = await open(thingSnapshot({ name: { type: 'string' } }, entries));
  const { body } = await ask(content, '/api/things', 'pagination[pageSize]=101');
  expect(body.data).toHaveLength(100);
  expect(body.meta).toEqual({ pagination: { page: 1, pageSize: 100, pageCount: 2, total: 101 } });
});

// The window of a populated list is a part of the list that the same query has without it.
import { describe, expect, test } from 'vitest';
import { ask, openGuide } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';

type Entry = { documentId: string; articles: { data: { id: number }[] } };

const list = 'populate[articles][filters][rating][$gt]=2&populate[articles][sort]=rating:desc&sort=name';

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  const windows: [string, number, number | undefined][] = [
    ['[limit]=2', 0, 2],
    ['[limit]=0', 0, 0],
    ['[start]=3', 3, undefined],
    ['[start]=1&populate[articles][limit]=2', 1, 3],
    ['[start]=1&populate[articles][limit]=-1', 1, undefined],
    ['[pageSize]=2', 0, 2],
    ['[page]=2&populate[articles][pageSize]=2', 2, 4],
    ['[page]=1', 0, 10],
  ];

  test.each(windows)('populate[articles]%s is a part of each list', async (window, from, to) => {
    const content = await openShared('data/demo', { dialect, features: ['populateWindow'] });
    const read = async (query: string) => {
      const { status, body } = await ask(content, '/api/authors', query);
      expect([status, body.error]).toEqual([200, undefined]);
      return body.data as Entry[];
    };
    const whole = await read(list);
    const part = await read(`${list}&populate[articles]${window}`);
    const idsOf = ({ articles }: Entry) =>
      (dialect === 'document' ? articles.data : (articles as unknown as { id: number }[])).map(({ id }) => id);
    expect(part.map(idsOf)).toEqual(whole.map((entry) => idsOf(entry).slice(from, to)));
    expect(whole.some((entry) => idsOf(entry).length > 4)).toBe(true);
  });

  test.each([
    ['[limit]=many', 'Invalid value "many" for populate[articles][limit]: expected a whole number from -1 on'],
    ['[start]=-1', 'Invalid value "-1" for populate[articles][start]: expected a whole number from 0 on'],
    ['[pageSize]=0', 'Invalid value "0" for populate[articles][pageSize]: expected a whole number from 1 on'],
    ['[page]=1&populate[articles][start]=1', 'Cannot use both page & offset pagination in the same query'],
  ])('rejects populate[articles]%s', async (window, message) => {
    const content = await openShared('data/demo', { dialect, features: ['populateWindow'] });
    const { status, body } = await ask(content, '/api/authors', `populate[articles]${window}`);
    expect([status, body.error!.message]).toEqual([400, message]);
  });

  test('is an unknown option without the feature', async () => {
    const content = await openShared('data/demo', { dialect });
    const { status, body } = await ask(content, '/api/authors', 'populate[articles][limit]=1');
    expect([status, body.error!.details.key]).toEqual([400, 'limit']);
  });
});

test('changes nothing of a relation to one entry or of a count', async () => {
  const content = await openGuide({ features: ['populateWindow'] });
  const read = async (query: string) => {
    const { status, body } = await ask(content, '/api/restaurants', query);
    expect(status).toBe(200);
    return body.data;
  };
  expect(await read('populate[chef][start]=1')).toEqual(await read('populate=chef'));
  const counted = 'populate[categories][count]=true';
  expect(await read(`${counted}&populate[categories][limit]=1`)).toEqual(await read(counted));
});

// Sorts by a hash and by the number of related entries.
import { describe, expect, test } from 'vitest';
import { ask } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';

type Entry = { id: number; documentId: string; articles: { count: number } };

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  const read = async (query: string) => {
    const content = await openShared('data/demo', { dialect, maxLimit: 1000, features: ['randomSort', 'countSort'] });
    return ask(content, '/api/authors', query);
  };
  const idsOf = async (query: string) => {
    const { status, body } = await read(query);
    expect([status, body.error]).toEqual([200, undefined]);
    return (body.data as Entry[]).map(({ id }) => id);
  };

  test('the pages of a random order share no entry, and do not depend on the filter', async () => {
    const all = await idsOf('sort=$random:today&pagination[limit]=1000');
    expect([...all].sort((a, b) => a - b)).toEqual(await idsOf('pagination[limit]=1000'));
    const pages = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((page) => idsOf(`sort=$random:today&pagination[page]=${page}&pagination[pageSize]=25`)),
    );
    expect(pages.flat()).toEqual(all);
    const few = await idsOf('sort[0]=$random:today&filters[stars][$gte]=4&pagination[limit]=1000');
    expect(few).toEqual(all.filter((id) => few.includes(id)));
    expect(await idsOf('sort=$random:tomorrow&pagination[limit]=1000')).not.toEqual(all);
  });

  test.each(['$random', '$random:', '$random:a b', `$random:${'a'.repeat(65)}`, '$random:a,name', 'name,$random:a'])(
    'rejects sort=%s',
    async (sort) => expect((await read(`sort=${sort}`)).status).toBe(400),
  );

  test('a sort by count is one by the counts that populate shows', async () => {
    const { body } = await read('populate[articles][count]=true&pagination[limit]=1000');
    const counted = body.data as Entry[];
    const countOf = ({ articles }: Entry) => articles.count;
    for (const [order, sign] of [['asc', 1] as const, ['desc', -1] as const]) {
      const sorted = counted.toSorted((a, b) => sign * (countOf(a) - countOf(b)) || a.id - b.id);
      const expected = sorted.map(({ id }) => id);
      expect(await idsOf(`sort=articles.$count:${order}&pagination[limit]=1000`)).toEqual(expected);
      expect(await idsOf(`sort[articles][$count]=${order}&pagination[limit]=1000`)).toEqual(expected);
      const page = await idsOf(`sort=articles.$count:${order}&pagination[start]=30&pagination[limit]=9`);
      expect(page).toEqual(expected.slice(30, 39));
    }
  });

  test.each(['name.$count', '$count', 'team.$count', 'articles.categories.$count', 'wrong.$count', 'team.members'])(
    'rejects sort=%s',
    async (sort) => expect((await read(`sort=${sort}`)).status).toBe(400),
  );
});

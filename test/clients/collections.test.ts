import { describe, expect, test } from 'vitest';
import { serveGazette } from './serve.ts';

/** Collections, asked for by the official client, unchanged. */

const client = serveGazette();

describe('collection().find', () => {
  test('accepts filters, fields, sort and pagination', async () => {
    const found = await client()
      .collection('restaurants')
      .find({
        filters: { seats: { $gte: 40 }, vegan: true },
        fields: ['seats', 'vegan'],
        sort: 'id',
        pagination: { page: 2, pageSize: 3 },
      });
    expect(found).toEqual({
      data: [
        { id: 50, documentId: 'htrtl65zcrsqtyj2eyijiqlf', seats: 46, vegan: true },
        { id: 68, documentId: 'qbwhxt25z545vj92fkywlbfr', seats: 62, vegan: true },
        { id: 80, documentId: 'v9c5op3xn9xy8y3lg2szgof5', seats: 46, vegan: true },
      ],
      meta: { pagination: { page: 2, pageSize: 3, pageCount: 3, total: 8 } },
    });
  });

  test('accepts lists of conditions through relations', async () => {
    const found = await client()
      .collection('restaurants')
      .find({
        filters: { $and: [{ categories: { rank: { $eq: 3 } } }, { categories: { rank: { $eq: 1 } } }] },
        fields: ['name'],
        sort: ['id:asc'],
      });
    expect(found).toEqual({
      data: [
        { id: 6, documentId: 'enfz4aimh9iofsncoqphe6tu', name: 'straße' },
        { id: 48, documentId: 'ut6nrs277x3xmpkworsq6f3s', name: 'a,b' },
      ],
      meta: { pagination: { page: 1, pageSize: 25, pageCount: 1, total: 2 } },
    });
  });

  test.each([
    ['letters that need escapes', { name: { $eqi: 'ångström' } }, [35]],
    ['signs that have a meaning in a URL', { name: { $in: ['a,b', '%', '<b>x</b>', 'semi;colon'] } }, [43, 46, 48, 50]],
    ['a date', { inspectedAt: { $lte: new Date('2012-02-16T21:15:00.000Z') }, name: 'Łódź café' }, [2]],
    ['a list without items', { id: { $in: [] } }, []],
  ])('accepts operands: %s', async (_, filters, ids) => {
    const { data } = await client()
      .collection('restaurants')
      .find({ filters, fields: ['name'], sort: 'id' });
    expect(data.map(({ id }) => id)).toEqual(ids);
  });

  test('sorts through a relation', async () => {
    const { data } = await client()
      .collection('restaurants')
      .find({
        fields: ['name'],
        sort: ['chef.name', 'id'],
        pagination: { pageSize: 4 },
      });
    expect(data.map(({ id }) => id)).toEqual([43, 6, 50, 80]);
  });

  test('populates with fields, filters, sort and count', async () => {
    const found = await client()
      .collection('restaurants')
      .find({
        filters: { id: { $in: [2, 6] } },
        fields: ['name'],
        sort: 'id',
        populate: {
          chef: { fields: ['name'] },
          categories: { fields: ['name'], sort: ['name:desc'], filters: { name: { $ne: 'NAÏVE' } } },
          dishes: { count: true },
          licence: false,
        },
      });
    expect(found.data).toEqual([
      {
        id: 2,
        documentId: 'jmra5y0w0uc8qvwkgx1s7oiq',
        name: 'Łódź café',
        chef: { id: 2, documentId: 'n4nw5aip53xin6j9otulnlyc', name: 'istanbul' },
        categories: [
          { id: 3, documentId: 'fkz5da1j6wllxt6tdxkgz7mj', name: 'straße' },
          { id: 8, documentId: 'ylhc8k64lchyw2w16har671j', name: 'back\\slash' },
          { id: 2, documentId: 'zp6ffp9hzj1ryq7ipnqff7at', name: 'STRASSE' },
        ],
        dishes: { count: 4 },
      },
      {
        id: 6,
        documentId: 'enfz4aimh9iofsncoqphe6tu',
        name: 'straße',
        chef: { id: 3, documentId: 'elczcfud4haye6fsg4hkjchb', name: '100% rye' },
        categories: [
          { id: 10, documentId: 'h1fw071arkmsm5gu9cxy72bi', name: 'say "hi"' },
          { id: 5, documentId: 'maxxpe4ah049e4gefjce9hya', name: 'istanbul' },
          { id: 9, documentId: 'sytbw1g5t1x5y34ratot5yn9', name: "O'Brien" },
        ],
        dishes: { count: 3 },
      },
    ]);
  });

  test('populates parts of a dynamic zone', async () => {
    const { data } = await client()
      .collection('restaurants')
      .find({
        filters: { id: 10 },
        fields: ['name'],
        populate: { sections: { on: { 'block.hero': { fields: ['heading'] } } } },
      });
    expect(data).toEqual([
      {
        id: 10,
        documentId: 'p4g5gac65dyxzwrkwaq1nbya',
        name: 'istanbul',
        sections: [
          { id: 4, heading: 'harbour Saffron', __component: 'block.hero' },
          { id: 3, heading: 'yarrow', __component: 'block.hero' },
        ],
      },
    ]);
  });

  test('populates a polymorphic relation', async () => {
    const { data } = await client()
      .collection('bookmarks')
      .find({
        filters: { label: 'mark 0' },
        fields: ['label'],
        populate: { targets: { on: { 'api::chef.chef': { fields: ['name'] } } } },
      });
    expect(data).toEqual([
      {
        id: 1,
        documentId: 'l93y5vtdhzbcnpadgxhfmaeu',
        label: 'mark 0',
        targets: [{ id: 2, documentId: 'n4nw5aip53xin6j9otulnlyc', name: 'istanbul', __type: 'api::chef.chef' }],
      },
    ]);
  });

  test('accepts pages by offset and pages without a count', async () => {
    const restaurants = client().collection('restaurants');
    const found = await restaurants.find({ fields: ['name'], pagination: { start: 2, limit: 3 } });
    expect(found).toEqual({
      data: [
        { id: 8, documentId: 'krrejkch21rbgsegmv7cxw32', name: 'İstanbul' },
        { id: 10, documentId: 'p4g5gac65dyxzwrkwaq1nbya', name: 'istanbul' },
        { id: 13, documentId: 'za0lxuwh34z1r9ryctm5mo8v', name: 'under_score' },
      ],
      meta: { pagination: { start: 2, limit: 3, total: 36 } },
    });

    const uncounted = await restaurants.find({
      fields: ['name'],
      pagination: { start: 1, limit: 2, withCount: false },
    });
    expect(uncounted).toEqual({
      data: [
        { id: 6, documentId: 'enfz4aimh9iofsncoqphe6tu', name: 'straße' },
        { id: 8, documentId: 'krrejkch21rbgsegmv7cxw32', name: 'İstanbul' },
      ],
      meta: { pagination: { start: 1, limit: 2 } },
    });
  });

  test.each([
    ['one locale', { locale: 'fr' }, [8, 14, 21], 12],
    ['every locale', { locale: '*' }, [3, 4, 7], 40],
    ['a locale that nothing is written in', { locale: 'zz' }, [], 0],
    ['drafts', { status: 'draft' as const }, [1, 5, 9], 26],
  ])('accepts locale and status: %s', async (_, asked, ids, total) => {
    const { data, meta } = await client()
      .collection('articles')
      .find({
        ...asked,
        fields: ['title'],
        sort: 'id',
        pagination: { pageSize: 3 },
      });
    expect(data.map(({ id }) => id)).toEqual(ids);
    expect(meta.pagination?.total).toBe(total);
  });
});

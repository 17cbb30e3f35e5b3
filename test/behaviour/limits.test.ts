// Every limit on a query and its reply at its exact value: the limit is answered, one more is an error that
// names the limit and the setting.
import { describe, expect, test } from 'vitest';
import type { Content, OpenOptions } from '../../src/index.ts';
import { encodeQuery, openGuide, sha256 } from '../support/guide.ts';

interface Limit {
  setting: string;
  status: number;
  path?: string;
  options: (limit: number) => OpenOptions;
  /** A query with the given amount. */
  query: (amount: number) => string;
  limit: number;
}

const join = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join('&');
const budget = (name: string) => (limit: number) => ({ budgets: { [name]: limit } });
/** A path of the given number of names, back and forth. */
const path = (names: number) => Array.from({ length: names }, (_, i) => (i % 2 ? 'restaurants' : 'chef'));

const limits: Record<string, Limit> = {
  'conditions side by side': {
    setting: 'budgets.conditions',
    status: 400,
    options: budget('conditions'),
    query: (amount) => join(amount, (i) => `filters[$or][${i}][name][$eq]=a`),
    limit: 7,
  },
  'conditions of one attribute, and of a list given to one operator': {
    setting: 'budgets.conditions',
    status: 400,
    options: budget('conditions'),
    query: (amount) => `filters[seats][$gt]=1&${join(amount - 1, (i) => `filters[name][$contains][${i}]=a`)}`,
    limit: 9,
  },
  'conditions at the top and inside populate together': {
    setting: 'budgets.conditions',
    status: 400,
    options: budget('conditions'),
    query: (amount) =>
      `filters[name]=a&populate[chef][filters][name][$not][$eq]=b&${join(amount - 2, (i) => `populate[categories][filters][$and][${i}][rank]=1`)}`,
    limit: 8,
  },
  'conditions by default': {
    setting: 'budgets.conditions',
    status: 400,
    options: () => ({ arrayLimit: 1000, budgets: { queryBytes: 100_000 } }),
    query: (amount) => join(amount, (i) => `filters[$or][${i}][seats]=1`),
    limit: 500,
  },
  'items of a list are one condition': {
    setting: 'arrayLimit',
    status: 400,
    options: (limit) => ({ arrayLimit: limit, budgets: { conditions: 1 } }),
    query: (amount) => join(amount, (i) => `filters[id][$in][${i}]=${i}`),
    limit: 6,
  },
  'places in a dotted path': {
    setting: 'budgets.populate',
    status: 400,
    options: budget('populate'),
    query: (amount) => `populate=${path(amount).join('.')}`,
    limit: 5,
  },
  'places inside each other': {
    setting: 'budgets.populate',
    status: 400,
    options: budget('populate'),
    query: (amount) =>
      `${path(amount).reduce((key, name) => `${key}[${name}][populate]`, 'populate')}=*`.replace(
        /\[populate\]=\*$/,
        '=true',
      ),
    limit: 5,
  },
  'types of a polymorphic relation': {
    setting: 'budgets.populate',
    status: 400,
    path: '/api/bookmarks',
    options: budget('populate'),
    query: (amount) =>
      join(
        amount,
        (i) =>
          `populate[target][on][${['api::chef.chef', 'api::restaurant.restaurant', 'api::category.category'][i]}]=true`,
      ),
    limit: 2,
  },
  'nested brackets': {
    setting: 'budgets.depth',
    status: 400,
    options: budget('depth'),
    query: (amount) =>
      `filters${path(amount - 1)
        .map((name) => `[${name}]`)
        .join('')}[id]=1`,
    limit: 6,
  },
  'nested brackets by default': {
    setting: 'budgets.depth',
    status: 400,
    options: () => ({}),
    query: (amount) =>
      `filters${path(amount - 1)
        .map((name) => `[${name}]`)
        .join('')}[id]=1`,
    limit: 20,
  },
  'names in a sort': {
    setting: 'budgets.depth',
    status: 400,
    options: budget('depth'),
    query: (amount) => `sort=${[...path(amount - 1), 'id'].join('.')}`,
    limit: 4,
  },
  'names in populate': {
    setting: 'budgets.depth',
    status: 400,
    options: budget('depth'),
    query: (amount) => `populate=${path(amount).join('.')}`,
    limit: 4,
  },
  'sort keys': {
    setting: 'budgets.sorts',
    status: 400,
    options: budget('sorts'),
    query: (amount) => `sort=${Array(amount).fill('name').join(',')}`,
    limit: 6,
  },
  'sort keys by default': {
    setting: 'budgets.sorts',
    status: 400,
    options: () => ({}),
    query: (amount) => `sort=${Array(amount).fill('name:desc').join(',')}`,
    limit: 200,
  },
  'relations that sort keys pass': {
    setting: 'budgets.sorts',
    status: 400,
    options: budget('sorts'),
    query: (amount) => `sort=${[...path(amount - 5), 'id'].join('.')}&populate[chef][sort]=restaurants.name,name,id`,
    limit: 8,
  },
  'items of a list': {
    setting: 'arrayLimit',
    status: 400,
    options: (arrayLimit) => ({ arrayLimit }),
    query: (amount) => join(amount, (i) => `fields[${i}]=name`),
    limit: 3,
  },
  'repeated parameters': {
    setting: 'arrayLimit',
    status: 400,
    options: (arrayLimit) => ({ arrayLimit }),
    query: (amount) => join(amount, () => 'sort=name'),
    limit: 3,
  },
  parameters: {
    setting: 'budgets.parameters',
    status: 400,
    options: budget('parameters'),
    query: (amount) => join(amount, (i) => `filters[$and][${i}][id][$gt]=0`),
    limit: 12,
  },
  'bytes of the query string': {
    setting: 'budgets.queryBytes',
    status: 414,
    options: budget('queryBytes'),
    query: (amount) => '_q='.padEnd(amount, 'a'),
    limit: 60,
  },
  'nodes of a reply': {
    setting: 'budgets.nodes',
    status: 400,
    options: budget('nodes'),
    query: (amount) => `pagination[pageSize]=${amount}`,
    limit: 4,
  },
};

async function answers(
  content: Content,
  path: string,
  query: string,
): Promise<{ status: number; details?: object; message?: string }[]> {
  const url = `${path}?${encodeQuery(query)}`;
  const found = [];
  // the first query is bound, the second and third may use the prepared query or a cache
  for (let turn = 0; turn < 3; turn++) {
    const { status, body } = await content.answer(url, { authorization: 'Bearer all' });
    const { error } = JSON.parse(body.toString());
    found.push({ status, details: error?.details, message: error?.message });
  }
  return found;
}

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test.each(Object.entries(limits))(
    '%s',
    async (_, { setting, status, path = '/api/restaurants', options, query, limit }) => {
      const tokens = [{ name: 'all', sha256: sha256('all'), type: 'full-access' as const }];
      const content = await openGuide({ dialect, tokens, ...options(limit) });
      for (const amount of [limit - 1, limit]) {
        for (const { status, message } of await answers(content, path, query(amount))) {
          expect({ amount, status, message }).toEqual({ amount, status: 200, message: undefined });
        }
      }
      for (const refused of await answers(content, path, query(limit + 1))) {
        expect(refused).toMatchObject({ status, details: { limit, setting } });
        expect(refused.message).toContain(setting);
        expect(refused.message).toContain(String(limit));
      }
    },
  );

  test('the bytes of a reply are limited', async () => {
    const { body } = await (await openGuide({ dialect })).answer('/api/restaurants');
    const at = async (bytes: number) => (await openGuide({ dialect, budgets: { bytes } })).answer('/api/restaurants');
    expect((await at(body.length + 1)).body).toEqual(body);
    expect((await at(body.length)).body).toEqual(body);
    const refused = await at(body.length - 1);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.body.toString()).error.details).toEqual({
      limit: body.length - 1,
      setting: 'budgets.bytes',
    });
  });

  test('the library has the same limits, except those of query strings', async () => {
    const content = await openGuide({
      dialect,
      budgets: { conditions: 2, populate: 1, depth: 2, parameters: 1, sorts: 3 },
    });
    const refused = (limit: number, setting: string) =>
      expect.objectContaining({ status: 400, details: expect.objectContaining({ limit, setting }) });
    const groups = (count: number) => ({ $or: Array.from({ length: count }, (_, seats) => ({ seats })) });
    content.find('restaurants', { filters: groups(2), populate: ['chef'], sort: 'chef.name' });
    expect(() => content.find('restaurants', { filters: groups(3) })).toThrow(refused(2, 'budgets.conditions'));
    expect(() => content.find('restaurants', { populate: ['chef', 'categories'] })).toThrow(
      refused(1, 'budgets.populate'),
    );
    expect(() => content.find('restaurants', { sort: 'chef.mentor.name' })).toThrow(refused(2, 'budgets.depth'));
    expect(() => content.find('restaurants', { sort: ['chef.name', 'chef.id'] })).toThrow(refused(3, 'budgets.sorts'));
  });
});

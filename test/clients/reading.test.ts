import type { StrapiClient } from '@strapi/client';
import { expect, test } from 'vitest';
import { openGazette, tokens } from '../conformance/gazette.ts';
import { serveGazette } from './serve.ts';

/** What the official client, unchanged, returns for a call is the reply to the URL that means the call. */

const client = serveGazette();

type Call = (client: StrapiClient) => Promise<unknown>;

const restaurants = (query: object): Call => {
  return (client) => client.collection('restaurants').find(query);
};
const articles = (query: object): Call => {
  return (client) => client.collection('articles').find(query);
};
const dish = 'd8l4bg4qtai2ruqtdu1my2ii';
const article = 'yrc075my9hb4lox86v6h4h4p';
const versions = 'drhv7gme7blnxs6znmpu0jes';

/** A call, the URL that means it, and a text that the reply must hold. */
const calls: [title: string, call: Call, url: string, holds: string][] = [
  [
    'filters, fields, sort and pagination',
    restaurants({
      filters: { seats: { $gte: 40 }, vegan: true },
      fields: ['seats', 'vegan'],
      sort: 'id',
      pagination: { page: 2, pageSize: 3 },
    }),
    'restaurants?filters[seats][$gte]=40&filters[vegan]=true&fields=seats,vegan&sort=id&pagination[page]=2&pagination[pageSize]=3',
    '"pagination":{"page":2,"pageSize":3,"pageCount":3,"total":8}',
  ],
  [
    'lists of conditions through relations',
    restaurants({
      filters: { $and: [{ categories: { rank: { $eq: 3 } } }, { categories: { rank: { $eq: 1 } } }] },
      fields: ['name'],
      sort: ['id:asc'],
    }),
    'restaurants?filters[$and][0][categories][rank]=3&filters[$and][1][categories][rank]=1&fields=name&sort=id',
    '"name":"straße"',
  ],
  [
    'letters that need escapes',
    restaurants({ filters: { name: { $eqi: 'ångström' } }, fields: ['name'] }),
    'restaurants?filters[name][$eqi]=%C3%A5ngstr%C3%B6m&fields=name',
    '"id":35',
  ],
  [
    'signs that have a meaning in a URL',
    restaurants({ filters: { name: { $in: ['a,b', '%', '<b>x</b>', 'semi;colon'] } }, fields: ['name'], sort: 'id' }),
    'restaurants?filters[name][$in][0]=a%2Cb&filters[name][$in][1]=%25&filters[name][$in][2]=%3Cb%3Ex%3C%2Fb%3E' +
      '&filters[name][$in][3]=semi%3Bcolon&fields=name&sort=id',
    '"total":4',
  ],
  [
    'a date',
    restaurants({
      filters: { inspectedAt: { $lte: new Date('2012-02-16T21:15:00.000Z') }, name: 'Łódź café' },
      fields: ['name'],
    }),
    'restaurants?filters[inspectedAt][$lte]=2012-02-16T21:15:00.000Z&filters[name]=%C5%81%C3%B3d%C5%BA%20caf%C3%A9&fields=name',
    '"id":2,',
  ],
  [
    'a list without items',
    restaurants({ filters: { id: { $in: [] } }, fields: ['name'] }),
    'restaurants?filters[id][$in][]&fields=name',
    '"data":[]',
  ],
  [
    'a sort through a relation',
    restaurants({ fields: ['name'], sort: ['chef.name', 'id'], pagination: { pageSize: 4 } }),
    'restaurants?fields=name&sort=chef.name,id&pagination[pageSize]=4',
    '"id":43',
  ],
  [
    'populate with fields, filters, sort and count',
    restaurants({
      filters: { id: { $in: [2, 6] } },
      fields: ['name'],
      sort: 'id',
      populate: {
        chef: { fields: ['name'] },
        categories: { fields: ['name'], sort: ['name:desc'], filters: { name: { $ne: 'NAÏVE' } } },
        dishes: { count: true },
        licence: false,
      },
    }),
    'restaurants?filters[id][$in]=2&filters[id][$in]=6&fields=name&sort=id&populate[chef][fields]=name' +
      '&populate[categories][fields]=name&populate[categories][sort]=name:desc' +
      '&populate[categories][filters][name][$ne]=NA%C3%8FVE&populate[dishes][count]=true&populate[licence]=false',
    '"dishes":{"count":4}',
  ],
  [
    'parts of a dynamic zone',
    restaurants({
      filters: { id: 10 },
      fields: ['name'],
      populate: { sections: { on: { 'block.hero': { fields: ['heading'] } } } },
    }),
    'restaurants?filters[id]=10&fields=name&populate[sections][on][block.hero][fields]=heading',
    '"heading":"yarrow"',
  ],
  [
    'a polymorphic relation',
    (client) =>
      client.collection('bookmarks').find({
        filters: { label: 'mark 0' },
        fields: ['label'],
        populate: { targets: { on: { 'api::chef.chef': { fields: ['name'] } } } },
      }),
    'bookmarks?filters[label]=mark%200&fields=label&populate[targets][on][api::chef.chef][fields]=name',
    '"name":"istanbul"',
  ],
  [
    'pages by offset',
    restaurants({ fields: ['name'], pagination: { start: 2, limit: 3 } }),
    'restaurants?fields=name&pagination[start]=2&pagination[limit]=3',
    '"pagination":{"start":2,"limit":3,"total":36}',
  ],
  [
    'pages without a count',
    restaurants({ fields: ['name'], pagination: { start: 1, limit: 2, withCount: false } }),
    'restaurants?fields=name&pagination[start]=1&pagination[limit]=2&pagination[withCount]=false',
    '"pagination":{"start":1,"limit":2}',
  ],
  ['one locale', articles({ locale: 'fr', fields: ['title'] }), 'articles?locale=fr&fields=title', '"total":12'],
  ['every locale', articles({ locale: '*', fields: ['title'] }), 'articles?locale=*&fields=title', '"total":40'],
  ['a locale without entries', articles({ locale: 'zz' }), 'articles?locale=zz', '"total":0'],
  ['drafts', articles({ status: 'draft', fields: ['title'] }), 'articles?status=draft&fields=title', '"total":26'],
  [
    'a document with fields',
    (client) => client.collection('dishes').findOne(dish, { fields: ['heat', 'name'] }),
    `dishes/${dish}?fields=heat,name`,
    '"name":"Ember umber 64"',
  ],
  [
    'a document with its relations',
    (client) =>
      client.collection('articles').findOne(article, {
        fields: ['title'],
        populate: { related: { fields: ['title'] }, seo: true, author: true, localizations: true },
      }),
    `articles/${article}?fields=title&populate[related][fields]=title&populate[seo]=true&populate[author]=true&populate[localizations]=true`,
    '"metaTitle":"pine moss quay"',
  ],
  [
    'a version of a document',
    (client) => client.collection('articles').findOne(versions, { locale: 'de', status: 'draft', fields: ['title'] }),
    `articles/${versions}?locale=de&status=draft&fields=title`,
    '"id":2,',
  ],
  ['a single type', (client) => client.single('homepage').find(), 'homepage', '"headline":"en welcome"'],
  [
    'a version of a single type',
    (client) => client.single('homepage').find({ locale: 'fr', status: 'draft' }),
    'homepage?locale=fr&status=draft',
    '"headline":"fr welcome"',
  ],
  [
    'parts of a single type',
    (client) =>
      client.single('homepage').find({
        fields: ['headline'],
        populate: { seo: { populate: ['social'] }, zones: { on: { 'block.cards': { populate: { articles: true } } } } },
      }),
    'homepage?fields=headline&populate[seo][populate]=social&populate[zones][on][block.cards][populate][articles]=true',
    '"network":"bluesky"',
  ],
  [
    'files',
    (client) =>
      client.files.find({ filters: { mime: { $contains: 'png' }, name: { $contains: '1' } }, sort: ['name:asc'] }),
    'upload/files?filters[mime][$contains]=png&filters[name][$contains]=1&sort=name:asc',
    '"name":"picture-11.jpg"',
  ],
  ['one file', (client) => client.files.findOne(1), 'upload/files/1', '"hash":"picture_0_h"'],
];

test.each(calls)('the client asks for %s', async (_, call, url, holds) => {
  const { status, body } = await (await openGazette()).answer(`/api/${url}`);
  expect([status, String(body)]).toEqual([200, expect.stringContaining(holds)]);
  expect(await call(client())).toEqual(JSON.parse(String(body)));
});

test.each([
  ['an API token', tokens.reader],
  ["a user's JWT", tokens.user],
])('the client reads with %s what is not public', async (_, auth) => {
  const content = await openGazette();
  const reply = await content.answer('/api/ledgers?sort=id', { authorization: `Bearer ${auth}` });
  expect(reply.status).toBe(200);
  expect(await client(auth).collection('ledgers').find({ sort: 'id' })).toEqual(JSON.parse(String(reply.body)));
});

test('the client reads users, which have no envelope', async () => {
  const withJwt = client(tokens.user);
  const found = await withJwt.collection('users').find({ filters: { username: { $eq: 'John' } } });
  const [john] = found as unknown as object[];
  expect(john).toMatchObject({ id: 1, username: 'John', email: 'u0@example.org' });
  expect(await withJwt.collection('users').find()).toHaveLength(8);
  expect(await (await withJwt.fetch('/users/me')).json()).toEqual(john);
});

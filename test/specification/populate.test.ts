// Section 4.4 of the specification, row by row, in the dialect `document`.
import { beforeAll, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import {
  ada,
  bo,
  bread,
  cover1,
  cover2,
  cy,
  fifth,
  first,
  fish,
  istanbul,
  obrien,
  soup,
  strasse,
  sweet,
} from '../support/bodies.ts';
import { ask, openGuide } from '../support/guide.ts';

let content: Content;
beforeAll(async () => {
  content = await openGuide();
});

/** The entries answered to `path?fields=name&query`. */
async function data(path: string, query: string): Promise<unknown> {
  const { status, body } = await ask(content, path, `fields=name&${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}
const lodz = { id: 1, documentId: 'lodz-cafe', name: 'Łódź café' };
const address = { id: 1, street: 'Piotrkowska 1', city: 'Łódź' };
const quotes = [
  { id: 1, __component: 'block.quote', text: 'Like *home*.' },
  { id: 2, __component: 'block.quote', text: null },
];
const hero = { id: 1, __component: 'block.hero', heading: 'Welcome' };

test('4.4 everything, one level deep: media, relations, components and zones', async () => {
  expect(await data('/api/restaurants', 'populate=*&filters[id]=1')).toEqual([
    {
      ...lodz,
      chef: ada,
      categories: [soup, bread],
      nearby: [strasse, istanbul],
      cover: cover1,
      gallery: [cover2, cover1],
      address,
      openings: [
        { id: 1, day: 'mon', opens: '08:00:00', closes: '16:00:00' },
        { id: 2, day: 'tue', opens: '09:30:00', closes: null },
      ],
      sections: [quotes[0], hero, quotes[1]],
    },
  ]);
});

test('4.4 everything, where nothing is related: null or an empty list', async () => {
  expect(await data('/api/restaurants', 'populate=*&filters[id]=12')).toEqual([
    {
      id: 12,
      documentId: 'nameless',
      name: null,
      chef: null,
      categories: [],
      nearby: [],
      cover: null,
      gallery: [],
      address: null,
      openings: [],
      sections: [],
    },
  ]);
});

test('4.4 everything, on the other side of relations', async () => {
  expect(await data('/api/chefs', 'populate=*&filters[id]=54')).toEqual([
    {
      id: 54,
      documentId: 'dee',
      name: 'Dée',
      restaurants: [obrien],
      mentor: ada,
      mentees: [],
      articles: [],
      bookmarks: [],
    },
  ]);
});

test('4.4 one relation', async () => {
  expect(await data('/api/restaurants', 'populate=chef&filters[id]=1')).toEqual([{ ...lodz, chef: ada }]);
  expect(await data('/api/chefs', 'populate=articles&filters[id]=51')).toEqual([
    { id: 51, documentId: 'ada', name: 'Ada', articles: [first, fifth] },
  ]);
});

test('4.4 several relations', async () => {
  expect(await data('/api/restaurants', 'populate[0]=chef&populate[1]=categories&filters[id]=4')).toEqual([
    { id: 4, documentId: 'istanbul-dotted', name: 'İstanbul', chef: ada, categories: [sweet, soup, fish] },
  ]);
});

test('4.4 relations several levels deep', async () => {
  expect(await data('/api/restaurants', 'populate[chef][populate][0]=mentor&filters[id]=2')).toEqual([
    { id: 2, documentId: 'strasse', name: 'STRASSE', chef: { ...bo, mentor: ada } },
  ]);
  expect(await data('/api/restaurants', 'populate[chef][populate][mentor][populate][0]=mentor&filters[id]=5')).toEqual([
    { id: 5, documentId: 'istanbul', name: 'istanbul', chef: { ...cy, mentor: { ...bo, mentor: ada } } },
  ]);
});

test('4.4 a component', async () => {
  expect(await data('/api/restaurants', 'populate[0]=address&filters[id]=1')).toEqual([{ ...lodz, address }]);
});

test('4.4 a component and a nested component', async () => {
  const query = 'populate[0]=address&populate[1]=address.geo&sort=id&filters[id][$lt]=3';
  expect(await data('/api/restaurants', query)).toEqual([
    { ...lodz, address: { ...address, geo: { id: 1, lat: 51.77, lng: 19.46 } } },
    { id: 2, documentId: 'strasse', name: 'STRASSE', address: { id: 2, street: null, city: 'LYON', geo: null } },
  ]);
});

test('4.4 a dynamic zone: first-level scalar fields only, in the order of the zone', async () => {
  expect(await data('/api/restaurants', 'populate[0]=sections&filters[id]=1')).toEqual([
    { ...lodz, sections: [quotes[0], hero, quotes[1]] },
  ]);
});

test('4.4 a dynamic zone with component-specific fields, nested components and relations', async () => {
  const query = 'populate[sections][on][block.quote][populate][by][populate][0]=mentor&filters[id]=1';
  expect(await data('/api/restaurants', query)).toEqual([
    {
      ...lodz,
      sections: [
        { ...quotes[0], by: { ...bo, mentor: ada } },
        { ...quotes[1], by: null },
      ],
    },
  ]);
  const both = [
    'populate[sections][on][block.hero][fields][0]=heading&populate[sections][on][block.hero][populate][0]=action',
    'populate[sections][on][block.hero][populate][1]=picture&populate[sections][on][block.quote][fields][0]=text',
  ].join('&');
  expect(await data('/api/restaurants', `${both}&filters[id]=1`)).toEqual([
    {
      ...lodz,
      sections: [quotes[0], { ...hero, action: { id: 1, label: 'Book', href: '/book' }, picture: cover1 }, quotes[1]],
    },
  ]);
});

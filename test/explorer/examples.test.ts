import { describe, expect, test } from 'vitest';
import type { ExploredQuery } from '../../src/explorer/query/explored-query.ts';
import { parseUrl } from '../../src/explorer/query/parse-url.ts';
import { printUrl } from '../../src/explorer/query/print-url.ts';

/** URLs, what the screen shows of them, and what is printed. Null: the URL itself. */

const chip = (path: string, operator: string, value: string | null | string[]) => {
  return { kind: 'chip' as const, path: path.split('.'), operator, value };
};

const plain = { fields: null, populatesAll: false, populate: [] };
const populated = (attribute: string, ...populate: object[]) => {
  return { attribute, selection: { ...plain, populate }, count: false, kept: [] };
};

const examples: [url: string, shown: object, printed: string | null][] = [
  ['articles', { path: 'articles', selection: plain, filters: [], sort: [], page: {}, kept: [] }, null],
  ['articles/a%20b?status=draft&locale=fr', { path: 'articles/a%20b', status: 'draft', locale: 'fr' }, null],
  [
    'articles?fields[0]=title&fields[1]=slug',
    { selection: { ...plain, fields: ['title', 'slug'] } },
    'articles?fields=title,slug',
  ],
  [
    'articles?sort[0][title]=DESC&sort[1][author][name]=asc',
    {
      sort: [
        { path: 'title', descending: true },
        { path: 'author.name', descending: false },
      ],
    },
    'articles?sort=title:desc,author.name',
  ],
  [
    'articles?filters%5Bauthor%5D%5Bname%5D=Ada+L%C3%B6&filters%5Bid%5D=1&filters%5Bid%5D=2',
    { filters: [chip('author.name', '$eq', 'Ada Lö'), chip('id', '$in', ['1', '2'])] },
    'articles?filters[author][name][$eq]=Ada%20L%C3%B6&filters[id][$in][0]=1&filters[id][$in][1]=2',
  ],
  [
    'articles?filters[$or][0][kind][$eq]=essay&filters[$or][1][title][$null]=true&filters[$not][id][$gt]=9',
    {
      filters: [
        { kind: 'group', operator: '$or', chips: [chip('kind', '$eq', 'essay'), chip('title', '$null', 'true')] },
        { kind: 'group', operator: '$not', chips: [chip('id', '$gt', '9')] },
      ],
    },
    null,
  ],
  [
    'articles?filters[$not][$and][0][kind][$eq]=essay&filters[$not][$and][1][kind][$eq]=guide&filters[id][$gt]=9',
    {
      filters: [
        { kind: 'group', operator: '$not', chips: [chip('kind', '$eq', 'essay'), chip('kind', '$eq', 'guide')] },
        chip('id', '$gt', '9'),
      ],
    },
    null,
  ],
  [
    'articles?filters[id][$gt]=1&filters[$or][0][$and][0][id]=2&filters[title]=a',
    {
      filters: [chip('id', '$gt', '1')],
      kept: [
        { path: ['filters', '$or', '0', '$and', '0', 'id'], value: '2' },
        { path: ['filters', 'title'], value: 'a' },
      ],
    },
    null,
  ],
  [
    'articles?populate[]=author&populate[]=tags',
    { selection: { ...plain, populate: [populated('author'), populated('tags')] } },
    'articles?populate[author]=true&populate[tags]=true',
  ],
  [
    'articles?populate=author.team,tags',
    {
      selection: {
        ...plain,
        populate: [populated('author', populated('team')), populated('tags')],
        paths: ['author.team,tags'],
      },
    },
    null,
  ],
  [
    'articles?populate[author][sort]=id&populate[author][fields]=name&populate[author][populate]=team',
    {
      selection: {
        ...plain,
        populate: [
          {
            attribute: 'author',
            selection: { ...plain, fields: ['name'], populate: [populated('team')] },
            count: false,
            kept: [{ path: ['sort'], value: 'id' }],
          },
        ],
      },
    },
    'articles?populate[author][fields]=name&populate[author][populate][team]=true&populate[author][sort]=id',
  ],
  [
    'articles?populate[zone][on][block.quote][populate]=*&populate[tags]=false',
    {
      selection: {
        ...plain,
        populate: [{ ...populated('zone'), kept: [{ path: ['on', 'block.quote', 'populate'], value: '*' }] }],
      },
      kept: [{ path: ['populate', 'tags'], value: 'false' }],
    },
    null,
  ],
  [
    'articles?facets[0]=kind&facets[1]=author.name&_q=a%26b&pagination[page]=2',
    { facets: ['kind', 'author.name'], search: 'a&b', page: { page: '2' } },
    'articles?pagination[page]=2&_q=a%26b&facets=kind,author.name',
  ],
  [
    'articles?x&y=&fields=*',
    {
      kept: [
        { path: ['fields'], value: '*' },
        { path: ['x'], value: null },
        { path: ['y'], value: '' },
      ],
    },
    'articles?fields=*&x&y=',
  ],
];

describe('examples', () => {
  test.each(examples)('%s', (url, shown, printed) => {
    const query: ExploredQuery = parseUrl(url);
    expect(query).toMatchObject(shown);
    expect(printUrl(query)).toBe(printed ?? url);
  });
});

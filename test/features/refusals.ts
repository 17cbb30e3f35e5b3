import type { Feature } from '../naive/snapshot.ts';

/** A URL of the demo that uses a feature, and what is answered without it: the message in each dialect, null for a 200. */
export type Refusal = readonly [feature: Feature, path: string, document: string, strapi: string | null];

export const refusals: readonly Refusal[] = [
  [
    'populateWindow',
    'articles?populate[categories][limit]=1',
    'Invalid key limit at categories in populate[categories]: expected fields, filters, sort, populate, count',
    'Invalid key limit at categories',
  ],
  [
    'populateWindow',
    'articles?populate[categories][start]=1',
    'Invalid key start at categories in populate[categories]: expected fields, filters, sort, populate, count (did you mean "sort"?)',
    'Invalid key start at categories',
  ],
  [
    'populateWindow',
    'articles?populate[categories][page]=2&populate[categories][pageSize]=1',
    'Invalid key page at categories in populate[categories]: expected fields, filters, sort, populate, count',
    'Invalid key page at categories',
  ],
  [
    'populateWindow',
    'articles?populate[author][populate][articles][limit]=x',
    'Invalid key limit at author.articles in populate[author][populate][articles]: expected fields, filters, sort, populate, count',
    'Invalid key limit at author.articles',
  ],
  [
    'fallbackLocale',
    'articles?locale=fr&fallbackLocale=en',
    'Invalid key fallbackLocale: there is no such parameter',
    null,
  ],
  [
    'fallbackLocale',
    'articles?fallbackLocale[0]=de&fallbackLocale[1]=en',
    'Invalid key fallbackLocale: there is no such parameter',
    null,
  ],
  [
    'fallbackLocale',
    'articles?locale=*&fallbackLocale=en',
    'Invalid key fallbackLocale: there is no such parameter',
    null,
  ],
  ['fallbackLocale', 'homepage?fallbackLocale=xx', 'Invalid key fallbackLocale: there is no such parameter', null],
  [
    'deepPopulate',
    'articles?populate=deep',
    'Invalid key deep: it needs a plugin of Strapi. Here, populate=* shows one level, and populate[author][populate]=* the next',
    'Invalid key deep: it needs a plugin of Strapi. Here, populate=* shows one level, and populate[author][populate]=* the next',
  ],
  [
    'deepPopulate',
    'articles?populate=deep,3',
    'Invalid key deep: it needs a plugin of Strapi. Here, populate=* shows one level, and populate[author][populate]=* the next',
    'Invalid key deep: it needs a plugin of Strapi. Here, populate=* shows one level, and populate[author][populate]=* the next',
  ],
  [
    'deepPopulate',
    'articles?populate=deep,99',
    'Invalid key deep: it needs a plugin of Strapi. Here, populate=* shows one level, and populate[author][populate]=* the next',
    'Invalid key deep: it needs a plugin of Strapi. Here, populate=* shows one level, and populate[author][populate]=* the next',
  ],
  [
    'deepPopulate',
    'articles?populate[0]=*&populate[1]=author.team',
    'Invalid key *: there is no such attribute',
    'Invalid key *',
  ],
  [
    'deepPopulate',
    'articles?populate[*]=true&populate[author][fields]=name',
    'Invalid key *: there is no such attribute',
    'Invalid key *',
  ],
  ['deepPopulate', 'articles?populate=*,author.team', 'Invalid key *: there is no such attribute', 'Invalid key *'],
  ['languageAware', 'articles?language=de', 'Invalid key language: there is no such parameter', null],
  ['languageAware', 'articles?sort=title&language=sv', 'Invalid key language: there is no such parameter', null],
  ['languageAware', 'articles?language=no such', 'Invalid key language: there is no such parameter', null],
  [
    'countSort',
    'articles?sort=categories.$count',
    'Invalid key $count at categories.$count: there is no such attribute',
    'Invalid key $count at categories',
  ],
  [
    'countSort',
    'articles?sort[categories][$count]=desc',
    'Invalid key $count at categories.$count: there is no such attribute',
    'Invalid key $count at categories',
  ],
  [
    'countSort',
    'articles?sort=author.articles.$count:desc',
    'Invalid key $count at author.articles.$count: there is no such attribute',
    'Invalid key $count at author.articles',
  ],
  [
    'countSort',
    'articles?populate[author][populate][articles][sort]=categories.$count',
    'Invalid key $count at author.articles.categories.$count in populate[author][populate][articles][sort]: there is no such attribute',
    'Invalid key $count at categories',
  ],
  [
    'zoneFilters',
    'articles?filters[parts][on][block.quote][text][$contains]=x',
    'Invalid key parts: it is a dynamic zone, which cannot be filtered',
    'Invalid key parts',
  ],
  [
    'zoneFilters',
    'articles?filters[$not][parts][on][block.nope][text]=x',
    'Invalid key parts: it is a dynamic zone, which cannot be filtered',
    'Invalid key parts',
  ],
  [
    'zoneFilters',
    'authors?filters[articles][parts][on][block.quote][text]=x',
    'Invalid key parts at articles.parts: it is a dynamic zone, which cannot be filtered',
    'Invalid key parts at articles.parts',
  ],
  ['randomSort', 'articles?sort=$random:abc', 'Invalid key $random: there is no such attribute', 'Invalid key $random'],
  [
    'randomSort',
    'articles?sort[0]=$random:abc',
    'Invalid key $random: there is no such attribute',
    'Invalid key $random',
  ],
  ['randomSort', 'articles?sort=$random', 'Invalid key $random: there is no such attribute', 'Invalid key $random'],
  [
    'randomSort',
    'articles?sort=$random:a,title',
    'Invalid key $random: there is no such attribute',
    'Invalid key $random',
  ],
  ['fileFolders', 'upload/files?folder=Press/2026', 'Invalid key folder: there is no such parameter', null],
  ['fileFolders', 'upload/files?folder=', 'Invalid key folder: there is no such parameter', null],
  ['fileFolders', 'upload/files?folder=no/such', 'Invalid key folder: there is no such parameter', null],
];

// Prepared queries and kept replies tell apart what differs only in the value of a feature.
import { expect, test } from 'vitest';
import { features } from '../naive/snapshot.ts';
import { openShared } from '../support/open-shared.ts';

/** Paths that differ in one value. Their replies differ too, or the family would prove nothing. */
const families = [
  ['a', 'b', 'c'].map((seed) => `articles?fields=id&sort=$random:${seed}`),
  ['de', 'sv', 'cs'].map((language) => `authors?fields=name&sort=name&pagination[pageSize]=100&language=${language}`),
  ['', '&language=de'].map((language) => `authors?fields=name&filters[name][$containsi]=o${language}`),
  ['', '&language=de'].map((language) => `authors?fields=name&_q=gulru%20g${language}&pagination[pageSize]=100`),
  ['en', 'de', 'de,en'].map((list) => `articles?fields=title&locale=fr&fallbackLocale=${list}&sort=slug`),
  ['fr', 'de', 'en'].map(
    (locale) => `articles?fields=title&locale=${locale}&fallbackLocale=fr,de,en&pagination[pageSize]=100`,
  ),
  ['deep,1', 'deep,2'].map((populate) => `teams?populate=${populate}&pagination[pageSize]=1`),
  ['deep,1', '*'].map((populate) => `categories?populate=${populate}&filters[parent][id][$notNull]=true`),
  ['1', '2', '-1'].map((limit) => `teams?populate[members][limit]=${limit}`),
  ['0', '1', '2'].map((start) => `teams?populate[members][start]=${start}`),
  ['1', '2'].map((page) => `teams?populate[members][page]=${page}&populate[members][pageSize]=2`),
  ['categories', 'places', 'related'].map((name) => `articles?fields=id&sort=${name}.$count:desc`),
  ['asc', 'desc'].map((order) => `authors?fields=id&sort[articles][$count]=${order}`),
  ['block.quote', 'block.picture'].map((uid) => `articles?fields=id&filters[parts][on][${uid}][id][$gt]=0`),
  ['on', '$not'].map((key) => {
    const on = '[parts][on][block.quote][text][$contains]=a';
    return `articles?fields=id&filters${key === 'on' ? on : `[$not]${on}`}`;
  }),
];

test.each(['document', 'strapi'] as const)('in the dialect %s', async (dialect) => {
  const keeping = await openShared('data/demo', { dialect, public: true, features: [...features] });
  const none = { cacheBytes: 0, preparedBytes: 0 };
  const plain = await openShared('data/demo', { dialect, public: true, features: [...features], ...none });
  for (const family of families) {
    const expected = new Map<string, string>();
    for (const path of family) {
      const { status, body } = await plain.answerPath(path);
      expect([path, status, JSON.parse(String(body)).error]).toEqual([path, 200, undefined]);
      expected.set(path, String(body));
    }
    expect([family, new Set(expected.values()).size]).toEqual([family, family.length]);
    for (let time = 0; time < 4; time++) {
      for (const path of family)
        expect([path, String((await keeping.answerPath(path)).body)]).toEqual([path, expected.get(path)]);
    }
  }
});

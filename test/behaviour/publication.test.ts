// The rows that `publicationFilter` and its older form `hasPublishedVersion` select, as a running Strapi answers.
import { beforeAll, expect, test } from 'vitest';
import type { Content, JsonSnapshot } from '../../src/index.ts';
import { open } from '../../src/index.ts';
import { idsOf } from '../support/guide.ts';

const [early, late] = ['2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z'];

/** Modified since publication in English, never published in French. */
const changed = [
  { id: 1, documentId: 'a', locale: 'en', status: 'draft', updatedAt: late },
  { id: 2, documentId: 'a', locale: 'en', updatedAt: early },
  { id: 3, documentId: 'a', locale: 'fr', status: 'draft', updatedAt: early },
];
const unchanged = [
  { id: 4, documentId: 'b', locale: 'en', status: 'draft', updatedAt: early },
  { id: 5, documentId: 'b', locale: 'en', updatedAt: early },
];
const neverPublished = [{ id: 6, documentId: 'c', locale: 'en', status: 'draft', updatedAt: early }];
const withoutDraft = [{ id: 7, documentId: 'd', locale: 'en', updatedAt: early }];
const publishedInFrench = [
  { id: 8, documentId: 'e', locale: 'en', status: 'draft', updatedAt: early },
  { id: 9, documentId: 'e', locale: 'fr', status: 'draft', updatedAt: early },
  { id: 10, documentId: 'e', locale: 'fr', updatedAt: late },
];

let content: Content;
beforeAll(async () => {
  const snapshot = {
    settings: { defaultLocale: 'en', locales: ['en', 'fr'].map((code) => ({ code, name: code })) },
    contentTypes: [
      {
        info: { singularName: 'thing', pluralName: 'things' },
        options: { draftAndPublish: true },
        pluginOptions: { i18n: { localized: true } },
        attributes: {},
      },
    ],
    entries: { thing: [...changed, ...unchanged, ...neverPublished, ...withoutDraft, ...publishedInFrench] },
    roles: [{ type: 'public', permissions: ['api::thing.thing.find', 'api::thing.thing.findOne'] }],
  };
  content = await open(snapshot as unknown as JsonSnapshot, { dialect: 'strapi' });
});

test.each<[query: string, drafts: number[], published: number[]]>([
  ['publicationFilter=never-published', [3, 6, 8], []],
  ['publicationFilter=has-published-version', [1, 4, 9], [2, 5, 10]],
  ['publicationFilter=never-published-document', [6], []],
  ['publicationFilter=has-published-version-document', [1, 3, 4, 8, 9], [2, 5, 10]],
  ['publicationFilter=modified', [1], [2]],
  ['publicationFilter=unmodified', [4, 9], [5, 10]],
  ['publicationFilter=published-without-draft', [], [7]],
  ['publicationFilter=published-with-draft', [], [2, 5, 10]],
  ['hasPublishedVersion=true', [1, 3, 4, 8, 9], [2, 5, 10]],
  ['hasPublishedVersion=false', [6], []],
  ['hasPublishedVersion=false&publicationFilter=modified', [1], [2]],
])('%s', async (query, drafts, published) => {
  expect(await idsOf(content, '/api/things', `${query}&locale=*&status=draft`)).toEqual(drafts);
  expect(await idsOf(content, '/api/things', `${query}&locale=*`)).toEqual(published);
  const inFrench = (id: number) => [3, 9, 10].includes(id);
  expect(await idsOf(content, '/api/things', `${query}&locale=fr&status=draft`)).toEqual(drafts.filter(inFrench));
});

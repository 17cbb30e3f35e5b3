import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, type OpenOptions, open } from '../../src/index.ts';
import { temporaryFolder } from '../support/folders.ts';

/** A small export in the form of Strapi 4, written by hand: articles in two languages, one of them a draft. */

type Line = Record<string, unknown>;

const article = {
  uid: 'api::article.article',
  kind: 'collectionType',
  modelType: 'contentType',
  info: { singularName: 'article', pluralName: 'articles' },
  options: { draftAndPublish: true },
  pluginOptions: { i18n: { localized: true } },
  attributes: {
    title: { type: 'string' },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'articles' },
    cover: { type: 'media', multiple: false },
    createdAt: { type: 'datetime' },
    updatedAt: { type: 'datetime' },
    publishedAt: { type: 'datetime' },
    localizations: { type: 'relation', relation: 'oneToMany', target: 'api::article.article' },
    locale: { type: 'string' },
  },
};
const author = {
  uid: 'api::author.author',
  kind: 'collectionType',
  modelType: 'contentType',
  info: { singularName: 'author', pluralName: 'authors' },
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'oneToMany', target: 'api::article.article', mappedBy: 'author' },
    createdAt: { type: 'datetime' },
    updatedAt: { type: 'datetime' },
  },
};
const file = {
  uid: 'plugin::upload.file',
  kind: 'collectionType',
  modelType: 'contentType',
  info: { singularName: 'file', pluralName: 'files' },
  attributes: {
    name: { type: 'string' },
    url: { type: 'string' },
    related: { type: 'relation', relation: 'morphToMany' },
  },
};
const role = {
  uid: 'plugin::users-permissions.role',
  kind: 'collectionType',
  modelType: 'contentType',
  info: { singularName: 'role', pluralName: 'roles' },
  attributes: { name: { type: 'string' }, type: { type: 'string' } },
};
const permission = {
  uid: 'plugin::users-permissions.permission',
  kind: 'collectionType',
  modelType: 'contentType',
  info: { singularName: 'permission', pluralName: 'permissions' },
  attributes: {
    action: { type: 'string' },
    role: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.role' },
  },
};

const published = '2023-05-01T10:00:00.000Z';
const row = (id: number, title: string, locale: string, publishedAt: string | null) => ({
  type: article.uid,
  id,
  data: { title, locale, createdAt: published, updatedAt: published, publishedAt },
});
const actions = ['api::article.article.find', 'api::article.article.findOne', 'api::author.author.find'];
const entities: Line[] = [
  row(1, 'Bread', 'en', published),
  row(2, 'Pain', 'fr', published),
  row(3, 'Cheese', 'en', null),
  row(4, 'Brot', 'de', null),
  { type: author.uid, id: 1, data: { name: 'Ada', createdAt: published, updatedAt: published } },
  { type: file.uid, id: 1, data: { name: 'a.png', url: '/uploads/a.png' } },
  { type: role.uid, id: 1, data: { name: 'Public', type: 'public' } },
  ...actions.map((action, i) => ({ type: permission.uid, id: i + 1, data: { action } })),
  { type: 'admin::user', id: 1, data: { firstname: 'Root' } },
];
const localization = (left: number, right: number, pos: number) => ({
  kind: 'relation.circular',
  relation: 'oneToMany',
  left: { type: article.uid, ref: left, field: 'localizations', pos },
  right: { type: article.uid, ref: right },
});
const links: Line[] = [
  localization(1, 4, 1),
  localization(1, 2, 2),
  localization(2, 1, 1),
  // nothing joins rows 2 and 4 themselves
  localization(4, 1, 1),
  ...[1, 3].map((ref) => ({
    kind: 'relation.basic',
    relation: 'manyToOne',
    left: { type: article.uid, ref, field: 'author' },
    right: { type: author.uid, ref: 1, field: 'articles', pos: ref },
  })),
  {
    kind: 'relation.morph',
    relation: 'morphToMany',
    left: { type: file.uid, ref: 1, field: 'related' },
    right: { type: article.uid, ref: 1, field: 'cover', pos: 1 },
  },
  ...actions.map((_, i) => ({
    kind: 'relation.basic',
    relation: 'manyToOne',
    left: { type: permission.uid, ref: i + 1, field: 'role' },
    right: { type: role.uid, ref: 1 },
  })),
];
const lines = (values: Line[]) => values.map((value) => JSON.stringify(value)).join('\n\n');
const files: Record<string, string> = {
  'metadata.json': JSON.stringify({ createdAt: published, strapi: { version: '4.15.5' } }),
  'schemas/schemas_00001.jsonl': lines([article, author, file, role, permission]),
  'entities/entities_00001.jsonl': lines(entities),
  'links/links_00001.jsonl': lines(links),
  'configuration/configuration_00001.jsonl': lines([
    { type: 'core-store', value: { key: 'plugin_i18n_default_locale', value: 'en' } },
  ]),
};

const root = temporaryFolder();
let count = 0;

/** Opens the export, with other files in the place of some; null leaves one out. */
function openWith(changed: Record<string, string | null> = {}, options?: OpenOptions): Promise<Content> {
  const folder = join(root, String(++count));
  for (const [name, text] of Object.entries({ ...files, ...changed })) {
    if (text === null) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return open(folder, options);
}

async function read(from: Content, url: string, responseFormat?: string) {
  const { status, body } = await from.answer(url, { responseFormat });
  return { status, body: JSON.parse(body.toString()) };
}

let content: Content;
const data = async (url: string, responseFormat?: string) => (await read(content, url, responseFormat)).body.data;
const titles = async (query: string) =>
  (await data(`/api/articles?sort=id&${query}`)).map((entry: { attributes: Line }) => entry.attributes.title);

beforeAll(async () => {
  content = await openWith();
});

test('the summary names the version that wrote the content and the reply format', () => {
  expect(content.summary).toMatchObject({ dialect: 'strapi', strapiVersion: '4.15.5', responseFormat: 'v4' });
});

test('replies have the v4 format unless a header requests the other', async () => {
  const [entry] = await data('/api/articles?populate=author,cover');
  expect(entry).toMatchObject({
    id: 1,
    attributes: {
      title: 'Bread',
      locale: 'en',
      author: { data: { id: 1, attributes: { name: 'Ada' } } },
      cover: { data: { id: 1, attributes: { url: '/uploads/a.png' } } },
    },
  });
  const [flat] = await data('/api/articles?populate=author', 'v5');
  expect(flat).toMatchObject({ id: 1, title: 'Bread', author: { name: 'Ada' } });
});

test('the setting chooses the format', async () => {
  const flat = await openWith({}, { responseFormat: 'v5' });
  expect((await read(flat, '/api/articles/1')).body.data.title).toBe('Bread');
  expect((await read(flat, '/api/articles/1', 'v4')).body.data.attributes.title).toBe('Bread');
  // a name of the object prototype is not a format
  expect((await read(flat, '/api/articles/1', 'constructor')).body.data.title).toBe('Bread');
});

test('query parameters by route apply to ids and publicationState', async () => {
  const added = { findOne: { default: { populate: 'author' } }, find: { set: { publicationState: 'preview' } } };
  const site = await openWith({}, { routes: { 'api::article.article': added } });
  const plain = await openWith();
  expect(await read(site, '/api/articles/1')).toEqual(await read(plain, '/api/articles/1?populate=author'));
  expect(await read(site, '/api/articles?sort=id&locale=all')).toEqual(
    await read(plain, '/api/articles?sort=id&locale=all&publicationState=preview'),
  );
});

test('rows joined by localizations are one document with a stable documentId', async () => {
  const ids = (await data('/api/articles?locale=all&publicationState=preview&sort=id', 'v5')).map(
    (entry: { documentId: string }) => entry.documentId,
  );
  expect(ids).toHaveLength(4);
  for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9]{23}$/);
  expect(new Set([ids[0], ids[1], ids[3]]).size).toBe(1);
  expect(ids[2]).not.toBe(ids[0]);
  const again = await openWith();
  expect((await read(again, '/api/articles/2', 'v5')).body.data.documentId).toBe(ids[0]);
  expect(again.summary.version).toBe(content.summary.version);
});

test('a document is found by the id of any row and by its documentId', async () => {
  expect((await data('/api/articles/2')).attributes.title).toBe('Pain');
  const { documentId } = await data('/api/articles/1');
  expect((await data(`/api/articles/${documentId}`)).attributes.title).toBe('Bread');
  expect((await data(`/api/articles/${documentId}?locale=fr`)).attributes.title).toBe('Pain');
  expect((await read(content, '/api/articles/99')).status).toBe(404);
});

test('a request by id finds drafts and ignores filters', async () => {
  const title = async (url: string) => (await data(url))?.attributes.title;
  expect(await title('/api/articles/3')).toBe('Cheese');
  expect(await title('/api/articles/3?publicationState=live')).toBe('Cheese');
  expect(await title('/api/articles/1?filters[title]=Cheese&_q=nothing&sort=title:up')).toBe('Bread');
  expect((await read(content, '/api/articles/1?filters[nope]=1')).status).toBe(400);
  const guarded = await openWith({}, { dialect: 'document' });
  expect((await read(guarded, '/api/articles/3')).status).toBe(404);
  expect((await read(guarded, '/api/articles/1?filters[title]=Cheese')).status).toBe(404);
});

test('a search ignores generated documentIds', async () => {
  const { documentId } = await data('/api/articles/1', 'v5');
  expect(await titles(`_q=${documentId.slice(4, 8)}`)).toEqual([]);
  expect(await titles(`filters[documentId]=${documentId}`)).toEqual(['Bread']);
});

test('publicationState=preview and status=draft return drafts beside published entries', async () => {
  expect(await titles('')).toEqual(['Bread']);
  expect(await titles('publicationState=live')).toEqual(['Bread']);
  expect(await titles('publicationState=preview')).toEqual(['Bread', 'Cheese']);
  expect(await titles('status=draft')).toEqual(['Bread', 'Cheese']);
  expect(await titles('locale=all')).toEqual(['Bread', 'Pain']);
  expect(await titles('locale=all&publicationState=preview')).toEqual(['Bread', 'Pain', 'Cheese', 'Brot']);
});

test('publicationState applies to populated relations', async () => {
  const authored = async (state: string) =>
    (await data(`/api/authors?populate=articles&publicationState=${state}`))[0].attributes.articles.data.length;
  expect(await authored('live')).toBe(1);
  expect(await authored('preview')).toBe(2);
  const localized = async (state: string) =>
    (await data(`/api/articles?populate=localizations&publicationState=${state}`))[0].attributes.localizations.data;
  expect((await localized('live')).map(({ id }: Line) => id)).toEqual([2]);
  expect((await localized('preview')).map(({ id }: Line) => id)).toEqual([4, 2]);
});

test('an unknown publicationState is a 400 that lists the valid ones', async () => {
  const { status, body } = await read(content, '/api/articles?publicationState=all');
  expect(status).toBe(400);
  expect(body.error.message).toContain('live, preview');
  expect(body.error.details).toMatchObject({ param: 'publicationState', value: 'all' });
});

test('publicationState=preview requires the permission to read drafts in the dialect document', async () => {
  const guarded = await openWith({}, { dialect: 'document' });
  expect((await read(guarded, '/api/articles?publicationState=preview')).status).toBe(403);
  expect((await read(guarded, '/api/articles?publicationState=live')).status).toBe(200);
});

test('a type without drafts has no publishedAt', async () => {
  const [{ attributes }] = await data('/api/authors');
  expect(attributes).not.toHaveProperty('publishedAt');
  expect((await read(content, '/api/authors?filters[publishedAt][$null]=true')).status).toBe(400);
});

test('filters accept the numeric id of an entry and of related entries', async () => {
  expect(await titles('filters[id]=1')).toEqual(['Bread']);
  expect(await titles('filters[id][$in][0]=1&filters[id][$in][1]=2&locale=all')).toEqual(['Bread', 'Pain']);
  expect(await titles('filters[author][id]=1')).toEqual(['Bread']);
  expect(await titles('filters[localizations][id]=2')).toEqual(['Bread']);
  expect(await titles('filters[localizations][id]=1')).toEqual([]);
});

describe('populate', () => {
  const articlesOf = async (options: string) => {
    const query = `publicationState=preview&${options.replaceAll('@', 'populate[articles]')}`;
    const { status, body } = await read(content, `/api/authors?${query}`);
    return status === 200 ? body.data[0].attributes.articles?.data.map(({ id }: Line) => id) : body.error.name;
  };

  test.each([
    ['@[limit]=1', [1]],
    ['@[start]=1', [3]],
    ['@[limit]=1&@[sort]=title:desc', [3]],
    ['@[start]=1&@[limit]=5', [3]],
    ['@[limit]=0', []],
    ['@[limit]=-1', [1, 3]],
    ['@[page]=2&@[pageSize]=1', [3]],
    ['@[pageSize]=1', [1]],
    ['@[page]=2&@[limit]=1', 'PaginationError'],
    ['@[limit]=some', 'ValidationError'],
    ['@[limit]=-2', 'ValidationError'],
    ['@[page]=0', 'ValidationError'],
    ['@=*', [1, 3]],
    ['@=0', undefined],
    ['@[nope]=1', [1, 3]],
    ['populate=articles,nope', [1, 3]],
    ['populate=articles.nope.nope', [1, 3]],
    ['populate=nope', undefined],
    ['@[filters][nope]=1', 'ValidationError'],
    ['@[filters][title]=Cheese', [3]],
  ])('%s returns %j', async (options, expected) => {
    expect(await articlesOf(options)).toEqual(expected);
  });

  test('a page in populate is part of the cache key', async () => {
    for (let i = 0; i < 4; i++) {
      expect(await articlesOf('@[limit]=1')).toEqual([1]);
      expect(await articlesOf('@[start]=1')).toEqual([3]);
    }
  });

  test('the dialect document and content of Strapi 5 reject these parameters', async () => {
    const strict = await openWith({}, { dialect: 'document' });
    expect((await read(strict, '/api/authors?populate=nope')).status).toBe(400);
    expect((await read(strict, '/api/authors?populate[articles][limit]=1')).status).toBe(400);
  });
});

test('the schemas determine the version without metadata', async () => {
  const untold = await openWith({ 'metadata.json': null });
  expect(untold.summary).toMatchObject({ strapiVersion: '4', responseFormat: 'v4' });
  const broken = await openWith({ 'metadata.json': '{' });
  expect(broken.summary.strapiVersion).toBe('4');
});

test('entries of Strapi 5 without documentIds are served without them', async () => {
  const metadata = JSON.stringify({ strapi: { version: '5.54.0' } });
  const { summary } = await openWith({ 'metadata.json': metadata });
  expect(summary.warnings.map(({ kind }) => kind)).toContain('entry-without-document-id');
});

// A snapshot in one JSON file: data whose types are inferred, as json-server has it, or a whole snapshot object.
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { expectProblem, loadError } from '../support/broken.ts';
import { temporaryFolder } from '../support/folders.ts';
import { ask, idsOf, thingSnapshot } from '../support/guide.ts';

const folder = temporaryFolder();

function write(value: unknown, name = 'db.json'): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

const database = {
  $schema: 'x',
  posts: [
    {
      id: 1,
      title: 'First',
      views: 100,
      rating: 4,
      day: '2026-01-05',
      authorId: 'u1',
      tagIds: [1, '2'],
      status: 'open',
    },
    { id: 2, title: 'Second', views: 5, rating: 4.5, day: '2026-02-05', authorId: 'u2', tagIds: [], meta: { a: 1 } },
    { id: '3', title: null, views: 7, day: null, authorId: null, at: '2026-01-05T10:00:00Z', createdAt: '2026-01-06' },
  ],
  users: [
    { id: 'u1', name: 'Ada', role: 'admin' },
    { id: 'u2', name: 'Bo', role: 'none' },
  ],
  authors: [
    { id: 'u1', name: 'Ada' },
    { id: 'u2', documentId: 'bo', name: 'Bo' },
  ],
  tags: [
    { id: 1, label: 'a' },
    { id: 2, label: 'b' },
  ],
  comments: [
    { body: 'x', postId: 1 },
    { body: 'y', postId: '3' },
  ],
  site: { name: 'My site', authorId: 'bo', theme: ['dark'] },
};

describe('data without content types', () => {
  let content: Content;
  beforeAll(async () => {
    content = await open(write(database));
  });

  test('is served in the dialect document and readable by everyone', async () => {
    expect(content.summary.dialect).toBe('document');
    for (const route of ['posts', 'users', 'authors', 'tags', 'comments', 'site', 'posts/1', 'users/u1']) {
      expect((await ask(content, `/api/${route}`)).status, route).toBe(200);
    }
  });

  test('lists the inferred types', () => {
    expect(content.summary.inferred).toEqual([
      'posts (3 entries): title string, views integer, rating float, day date, authorId string, tagIds json, status string, meta json, at datetime, author relation to authors, by authorId, tags relation to tags, by tagIds, comments relation from comments',
      'users (2 entries): name string, role string',
      'authors (2 entries): name string, posts relation from posts, site relation from site',
      'tags (2 entries): label string, posts relation from posts',
      'comments (2 entries): body string, postId json (values of several types), post relation to posts, by postId',
      'site (single type): name string, authorId string, theme json, author relation to authors, by authorId',
    ]);
  });

  test('keeps every key of an entry', async () => {
    const { body } = await ask(content, '/api/posts/1');
    const [{ id, ...first }] = database.posts;
    expect(body.data).toEqual({
      ...{ id, documentId: '1', ...first, meta: null, at: null },
      ...{ createdAt: null, updatedAt: null, publishedAt: null },
    });
    const { data } = content.findOne('posts', '3');
    expect(data).toMatchObject({ id: 3, at: '2026-01-05T10:00:00.000Z', createdAt: '2026-01-06T00:00:00.000Z' });
  });

  test('assigns ids to entries without one and uses other ids as documentIds', () => {
    expect(content.find('comments').data).toMatchObject([
      { id: 1, documentId: '1', body: 'x' },
      { id: 2, documentId: '2', body: 'y' },
    ]);
    expect(content.find('authors').data).toMatchObject([
      { id: 1, documentId: 'u1' },
      { id: 2, documentId: 'bo' },
    ]);
    expect(content.find('site').data).toMatchObject({ id: 1, documentId: 'site', theme: ['dark'] });
  });

  test('connects relations both ways, by id and by documentId', () => {
    const names = (list: { name?: string; label?: string; body?: string }[]) =>
      list.map(({ name, label, body }) => name ?? label ?? body);
    const [first, second, third] = content.find('posts', { populate: '*', sort: 'id' }).data;
    expect([first.author.name, second.author.name, third.author]).toEqual(['Ada', 'Bo', null]);
    expect([names(first.tags), names(second.tags), names(third.tags)]).toEqual([['a', 'b'], [], []]);
    expect([names(first.comments), names(second.comments), names(third.comments)]).toEqual([['x'], [], ['y']]);
    expect(content.find('site', { populate: 'author' }).data.author.name).toBe('Bo');
    expect(content.findOne('authors', 'bo', { populate: 'posts' }).data.posts).toMatchObject([{ title: 'Second' }]);
  });

  test.each<[query: string, ids: number[]]>([
    ['filters[views][$gt]=6', [1, 3]],
    ['filters[rating][$gt]=4', [2]],
    ['filters[day][$lt]=2026-02-01', [1]],
    ['filters[author][name]=Ada', [1]],
    ['filters[authorId]=u2', [2]],
    ['filters[tags][label]=b', [1]],
    ['filters[$not][comments][$null]=true', [1, 3]],
    ['filters[status]=open', [1]],
    ['sort=status:desc,title:desc', [3, 2, 1]],
  ])('posts?%s', async (query, ids) => {
    expect((await idsOf(content, '/api/posts', query)).sort()).toEqual([...ids].sort());
  });

  test('is readable only by the roles of the settings if there are any', async () => {
    const path = write(database, 'roles.json');
    const closed = await open(path, { roles: [{ type: 'public', permissions: ['api::tag.tag.find'] }] });
    expect((await ask(closed, '/api/tags')).status).toBe(200);
    expect((await ask(closed, '/api/posts')).status).toBe(403);
  });
});

test.each<[title: string, items: object[], words: string]>([
  ['whole numbers', [{ a: 1 }, { a: -2 }, { a: null }], 'a integer'],
  ['whole and other numbers', [{ a: 1 }, { a: 0.5 }], 'a float'],
  ['numbers that are too large', [{ a: 2 ** 60 }], 'a float'],
  ['true and false', [{ a: true }, {}], 'a boolean'],
  ['dates', [{ a: '2026-01-05' }, { a: '2024-02-29' }], 'a date'],
  ['a date that does not exist', [{ a: '2026-01-05' }, { a: '2026-02-30' }], 'a string'],
  ['datetimes', [{ a: '2026-01-05T08:00:00Z' }, { a: '2026-01-05T08:00:00.123+02:00' }], 'a datetime'],
  ['dates and datetimes', [{ a: '2026-01-05' }, { a: '2026-01-05T08:00:00Z' }], 'a string'],
  ['datetimes without a zone', [{ a: '2026-01-05T08:00:00' }], 'a string'],
  ['text', [{ a: 'x' }, { a: '2026-01-05' }], 'a string'],
  ['nothing', [{ a: null }], 'a string'],
  ['lists', [{ a: [] }, { a: [1] }], 'a json'],
  ['objects', [{ a: { b: 1 } }], 'a json'],
  ['text and numbers', [{ a: 'x' }, { a: 1 }], 'a json (values of several types)'],
  ['an id of a collection that is not there', [{ bookId: 1 }], 'bookId integer'],
  ['another name for an id', [{ parentId: 1, thing_id: 1 }], 'parentId integer, thing_id integer'],
  ['a relation whose name is a key', [{ thingId: null, thing: 'x' }], 'thingId string, thing string'],
  [
    'a relation to itself',
    [{ id: 5, thingId: '5' }],
    'thingId string, thing relation to things, by thingId, things relation from things',
  ],
])('%s', async (_title, items, words) => {
  const content = await open(write({ things: items }, 'things.json'));
  const [line] = content.summary.inferred!;
  expect(line.slice(line.indexOf(': ') + 2)).toBe(words);
  const { data } = content.find('things');
  expect(data).toHaveLength(items.length);
});

test('collections and single types may have names whose singular and plural are equal', async () => {
  const content = await open(
    write(
      { news: [{ title: 'n' }], profile: { name: 'p' }, profiles: [{ name: 'q' }], teams: [{ newsId: 1 }] },
      'names.json',
    ),
  );
  expect(content.find('news').data).toMatchObject([{ title: 'n' }]);
  expect(content.find('profile').data).toMatchObject({ name: 'p' });
  expect(content.find('profiles').data).toMatchObject([{ name: 'q' }]);
  expect(content.find('teams', { filters: { news: { title: 'n' } } }).data).toHaveLength(1);
});

test('strict snapshots reject a missing id, and each problem names path and value', async () => {
  await expectProblem(
    write({ posts: [{ id: 7, authorId: 9 }], authors: [] }),
    'db.json, posts, entry 7',
    'author',
    '"9"',
  );
});

test.each<[title: string, value: unknown, ...parts: string[]]>([
  ['a list', [1], 'db.json: expected an object of collections'],
  ['an empty object', {}, 'db.json: expected at least one collection'],
  ['a text at the top', { posts: [], version: '1.0' }, 'db.json, version: ', '"1.0"'],
  ['a key that is no path', { 'my posts': [] }, 'db.json: ', '"my posts"'],
  ['an entry that is no object', { posts: [{}, 5] }, 'db.json, posts[1]: expected an object, not 5'],
  ['an entry without id beside others', { posts: [{ id: 1 }, { title: 'x' }] }, 'db.json, posts[1]: ', '"id"'],
  ['an id that is no id', { posts: [{ id: {} }] }, 'db.json, posts[0].id: '],
  ['twice the same id', { posts: [{ id: 1 }, { id: 1 }] }, 'db.json, posts, entry 1'],
  ['twice the same id as text', { posts: [{ id: 'a' }, { id: 'a' }] }, 'db.json, posts, entry a'],
  ['a reserved name', { posts: [{}, { locale: 'en' }] }, 'db.json, posts[1].locale: ', 'rename the key'],
  ['createdAt that is no date', { posts: [{ createdAt: 'soon' }] }, 'db.json, posts[0].createdAt: ', '"soon"'],
  ['a name that queries cannot say', { posts: [{ 'a.b': 1 }] }, 'db.json, posts[0]: ', '"a.b"'],
  ['a relation that is no id', { posts: [{ tagId: {} }], tags: [] }, 'db.json, posts[0].tagId: ', 'an id of "tags"'],
  ['a list for one id', { posts: [{ tagId: [1] }], tags: [{ id: 1 }] }, 'db.json, posts[0].tagId: ', '[1]'],
  ['one id for a list', { posts: [{ tagIds: 1 }], tags: [{ id: 1 }] }, 'db.json, posts[0].tagIds: ', 'a list of ids'],
  ['a reserved name in a single type', { site: { locale: 'en' } }, 'db.json, site.locale: ', 'rename the key'],
  ['a reserved route', { upload: [] }, 'upload'],
  ['what is not JSON', '{"posts": [\n{"id": 1,}]}', 'db.json:2:10: ', 'expected a key'],
  ['a key given twice', '{"posts": [],\n "posts": []}', 'db.json:2:2: ', 'duplicate key "posts"'],
])('%s is rejected with its location', async (_title, value, ...parts) => {
  await expectProblem(write(value), ...parts);
});

describe('a snapshot with mistakes is never served as public data', () => {
  const thing = { info: { singularName: 'thing', pluralName: 'things' }, attributes: { name: { type: 'string' } } };
  const entries = { thing: [{ documentId: 'a', name: 'A' }] };
  const noTypes = 'looks like a snapshot, but has no list "contentTypes"';
  test.each<[title: string, value: object, ...parts: string[]]>([
    ['content types by name', { contentTypes: { thing }, entries }, 'db.json, contentTypes: ', 'not {"thing":'],
    ['no list of content types', { contentTypes: 'thing' }, 'db.json, contentTypes: ', 'not "thing"'],
    ['a key in small letters', { contenttypes: [thing], things: [] }, 'db.json, contenttypes: ', noTypes],
    ['a key in the singular', { 'content-type': [thing] }, 'db.json, content-type: ', noTypes],
    ['a misspelled key', { contentTpyes: [thing] }, 'db.json, contentTpyes: ', noTypes, 'did you mean "contentTypes"?'],
    ['entries alone', { entries }, 'db.json, entries: ', noTypes],
    ['components alone', { components: { 'shared.seo': thing }, things: [] }, 'db.json, components: ', noTypes],
  ])('%s', (_title, value, ...parts) => expectProblem(write(value), ...parts));

  test('collections with similar names are data', async () => {
    const content = await open(write({ contactTypes: [{ name: 'x' }], entries: [{ name: 'y' }] }, 'similar.json'));
    expect(content.find('contactTypes').data).toMatchObject([{ name: 'x' }]);
    expect(content.find('entries').data).toMatchObject([{ name: 'y' }]);
  });
});

describe('a whole snapshot in a file', () => {
  const snapshot = thingSnapshot({ name: { type: 'string' } }, [{ documentId: 'a', name: 'A' }]);

  test('is served like an object in memory', async () => {
    const content = await open(write({ $schema: 'x', ...snapshot }, 'whole.json'));
    expect(content.summary.inferred).toBeNull();
    expect(content.summary.version).toBe((await open(snapshot)).summary.version);
    expect((await ask(content, '/api/things')).body.data).toMatchObject([{ documentId: 'a', name: 'A' }]);
  });

  test('may be named by a link without an extension', async () => {
    const link = join(folder, 'snapshot');
    symlinkSync(
      write(thingSnapshot({ name: { type: 'string' } }, [{ documentId: 'a', name: 'A' }]), 'linked.json'),
      link,
    );
    expect((await open(link)).find('things', {}).data).toHaveLength(1);
  });

  test('names the file in its problems', async () => {
    const wrong = thingSnapshot({ name: { type: 'string' } }, [{ documentId: 'a', name: 5 }]);
    await expectProblem(write(wrong), 'db.json, entries thing, entry a, attribute name');
    const { problems } = await loadError(write({ ...snapshot, entires: {} }));
    expect(problems).toEqual([
      'db.json, entires: unknown key (did you mean "entries"?); the keys of a snapshot are settings, contentTypes, components, entries, roles',
    ]);
  });
});

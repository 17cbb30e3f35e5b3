// One object holds all that depends on a store: constructing it costs nothing, and it can be swapped.
import { expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import { dialectFor } from '../../src/core/dialect.ts';
import { Catalog } from '../../src/engine/catalog.ts';
import { StoreAccess } from '../../src/engine/store-access.ts';
import { StoreEngine } from '../../src/engine/store-engine.ts';
import type { OpenOptions } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { noCredentials } from '../../src/model/access/credentials.ts';
import { Roles } from '../../src/model/access/permissions.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { thingSnapshot } from '../support/guide.ts';
import { jwtOf, jwtSecret } from '../support/jwt.ts';

const attributes = { name: { type: 'string' }, size: { type: 'integer' } };
const entries = (...names: string[]) => names.map((name, i) => ({ documentId: name, name, size: i }));
const load = (names: string[], own: object = attributes, rest: object = {}) =>
  loadSnapshot(thingSnapshot({ ...own }, entries(...names), { ...rest }), {});

/** A proxy that counts property reads of an object and of everything reachable from it. */
function counted<T extends object>(target: T, count: () => void): T {
  return new Proxy(target, {
    get(object, name) {
      count();
      return Reflect.get(object, name, object);
    },
    ownKeys(object) {
      count();
      return Reflect.ownKeys(object);
    },
  });
}

test.each(['document', 'strapi'] as const)('constructing takes no work per row or type in %s', async (name) => {
  const loaded = await load(['a', 'b']);
  const dialect = dialectFor(name, null);
  const settings = readOptions({});
  const catalog = new Catalog(loaded.store, dialect, settings);
  let reads = 0;
  const count = () => void reads++;
  const { schema, collections, byUid } = loaded.store;
  const store = {
    ...loaded.store,
    schema: counted(schema, count),
    collections: counted(collections, count),
    byUid: counted(byUid, count),
  };
  const access = new StoreAccess(store, {
    roles: new Roles(loaded.roles),
    blockedUsers: counted(new Set<string>(), count),
    emailConfirmation: false,
    credentials: noCredentials,
    ignoresOtherCredentials: false,
  });
  const version = { epoch: 1, sequence: 0 };
  const engine = new StoreEngine(catalog, { store, version, types: counted(loaded.types, count), access }, settings);
  expect(reads).toBe(0);
  expect(engine.access).toBe(access);
});

async function contentOf(names: string[], options: OpenOptions = {}) {
  return new Content(await load(names), readOptions(options), 0);
}

const namesOf = (content: Content) =>
  content.find('things', { sort: 'name' }).data.map((entry: { name: string }) => entry.name);
const bodyOf = async (content: Content, url: string) => String((await content.answer(url)).body);

test('new content is served at once, without caches of the old content', async () => {
  const content = await contentOf(['a', 'b']);
  const url = '/api/things?sort=name&fields=name';
  // the third reply comes from the cache
  for (let i = 0; i < 3; i++) expect(await bodyOf(content, url)).toContain('"name":"a"');
  const before = await content.answer(url);
  content.history.replace(await load(['c']));
  expect(namesOf(content)).toEqual(['c']);
  const after = await content.answer(url);
  expect(String(after.body)).not.toContain('"name":"a"');
  expect(after.headers['X-Lectern-Snapshot']).toBe(content.summary.version);
  expect(after.headers['X-Lectern-Snapshot']).not.toBe(before.headers['X-Lectern-Snapshot']);
  expect(content.summary.types.find(({ route }) => route === 'things')).toMatchObject({ entries: 1 });
});

test('prepared queries survive new content of the same schema without rows of the old content', async () => {
  const content = await contentOf(['a', 'b', 'c']);
  const ask = (size: number) => bodyOf(content, `/api/things?filters[size][$gte]=${size}&fields=name`);
  expect(await ask(2)).toContain('"total":1');
  content.history.replace(await load(['c', 'd', 'e', 'f']));
  expect(await ask(1)).toContain('"total":3');
  expect(await ask(1)).toContain('"name":"f"');
  expect(content.history.cacheFigures.preparedQueries).toMatchObject({ hits: 2, misses: 1 });
});

test.each<[string, object, object]>([
  ['another attribute', { ...attributes, color: { type: 'string' } }, {}],
  ['an attribute of another type', { ...attributes, size: { type: 'string' } }, {}],
  ['another locale', attributes, { settings: { defaultLocale: 'de', locales: [{ code: 'de', name: 'German' }] } }],
])('prepared queries are dropped for a schema with %s', async (_, own, rest) => {
  const content = await contentOf(['a']);
  const url = '/api/things?filters[name]=a';
  expect(await bodyOf(content, url)).toContain('"total":1');
  const loaded = await loadSnapshot(thingSnapshot({ ...own }, [{ documentId: 'a', name: 'a' }], { ...rest }), {});
  content.history.replace(loaded);
  expect(await bodyOf(content, url)).toContain('"total":1');
  expect(content.history.cacheFigures.preparedQueries).toMatchObject({ hits: 0, misses: 1 });
});

test('content that does not fit the settings is rejected, and the old content is still served', async () => {
  const routes = { 'api::thing.thing': { find: { default: { sort: 'size' } } } };
  const content = await contentOf(['a'], { routes });
  const loaded = await load(['b'], { name: { type: 'string' } }).catch(() => null);
  const without =
    loaded ?? (await loadSnapshot(thingSnapshot({ name: { type: 'string' } }, [{ documentId: 'b' }]), {}));
  expect(() => content.history.replace(without)).toThrow('size');
  expect(namesOf(content)).toEqual(['a']);
});

test('a request uses the content, users and roles that it began with', async () => {
  const withUser = (blocked: boolean) =>
    load(['a'], attributes, {
      entries: {
        thing: entries(blocked ? 'new' : 'old'),
        user: [{ documentId: 'u', username: 'Ada', role: 'authenticated', blocked }],
      },
      roles: [{ type: 'authenticated', permissions: ['api::thing.thing.find'] }],
    });
  const content = new Content(await withUser(false), readOptions({ jwtSecret }), 0);
  const authorization = `Bearer ${jwtOf(1)}`;
  // the JWT is new, so it is verified asynchronously
  const pending = content.answer('/api/things', { authorization });
  expect(pending).toBeInstanceOf(Promise);
  content.history.replace(await withUser(true));
  const reply = await pending;
  expect([reply.status, String(reply.body)]).toEqual([200, expect.stringContaining('"old"')]);
  expect((await content.answer('/api/things', { authorization })).status).toBe(401);
});

test('equal content is not replaced, and keeps its caches', async () => {
  const content = await contentOf(['a', 'b']);
  for (let i = 0; i < 2; i++) await content.answer('/api/things');
  const { loadedAt } = content.summary;
  expect(content.history.replace(await load(['a', 'b']))).toBe(false);
  await content.answer('/api/things');
  expect(content.history.cacheFigures.url.hits).toBe(1);
  expect(Date.parse(content.summary.loadedAt)).toBeGreaterThanOrEqual(Date.parse(loadedAt));
});

test('content with the same entries and other roles is replaced', async () => {
  const content = await contentOf(['a']);
  const roles = [{ type: 'public', permissions: [] }];
  expect((await content.answer('/api/things')).status).toBe(200);
  expect(content.history.replace(await load(['a'], attributes, { roles }))).toBe(true);
  expect((await content.answer('/api/things')).status).toBe(403);
});

// A store with dead rows answers as the same content without their entries does.
import { beforeAll, describe, expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import type { DialectName } from '../../src/core/dialect.ts';
import { findUser } from '../../src/engine/store-access.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { publicationFilters } from '../../src/model/schema/publication-filters.ts';
import { roleType, userType } from '../../src/model/schema/schema.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { entrySuffix } from '../../src/query/reply/envelope.ts';
import { DerivedRegistry } from '../../src/query/visible/registry.ts';
import type { Scope } from '../../src/query/visible/scope.ts';
import { ScopeCache } from '../../src/query/visible/scope-cache.ts';
import { Segment } from '../../src/store/segment.ts';
import { collectionOf, type Store, segmentOf } from '../../src/store/store.ts';
import { sha256 } from '../support/guide.ts';
import { loadShared } from '../support/open-shared.ts';

interface Entry {
  id: number;
  documentId: string;
  [attribute: string]: unknown;
}

type Entries = Record<'thing' | 'author' | 'tag', Entry[]>;

const documents = 240;
const relation = (kind: string, target: string, inverse: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...inverse,
});

const contentTypes = [
  {
    info: { singularName: 'thing', pluralName: 'things' },
    options: { draftAndPublish: true },
    pluginOptions: { i18n: { localized: true } },
    attributes: {
      name: { type: 'string' },
      size: { type: 'integer' },
      flag: { type: 'boolean' },
      author: relation('manyToOne', 'author', { inversedBy: 'things' }),
      tags: relation('manyToMany', 'tag', { inversedBy: 'things' }),
      parent: relation('manyToOne', 'thing', { inversedBy: 'children' }),
      children: relation('oneToMany', 'thing', { mappedBy: 'parent' }),
    },
  },
  {
    info: { singularName: 'author', pluralName: 'authors' },
    attributes: { name: { type: 'string' }, things: relation('oneToMany', 'thing', { mappedBy: 'author' }) },
  },
  {
    info: { singularName: 'tag', pluralName: 'tags' },
    attributes: { name: { type: 'string' }, things: relation('manyToMany', 'thing', { mappedBy: 'tags' }) },
  },
];

/** Documents with one to four versions: published or draft, in English or German. */
function thingEntries(): Entry[] {
  const entries: Entry[] = [];
  for (let i = 0; i < documents; i++) {
    const statuses = ['published', 'draft'].filter((_, at) => (at === 0 ? i % 5 !== 0 : i % 4 !== 1));
    for (const status of statuses) {
      for (const locale of i % 3 === 0 ? ['en', 'de'] : ['en']) {
        const id = entries.length + 1;
        const isNewer = status === 'draft' && i % 7 < 3;
        entries.push({
          id,
          documentId: `thing-${i}`,
          status,
          locale,
          updatedAt: `2026-01-0${isNewer ? 2 : 1}T00:00:00.000Z`,
          name: i % 11 === 0 ? null : `name ${(i * 7919) % 100}`,
          size: i % 13 === 0 ? null : (id * 31) % 40,
          flag: i % 2 === 0,
          author: i % 9 === 0 ? null : `author-${(i * 3) % 10}`,
          tags: [0, 1, 2].filter((at) => (i + at) % 3 !== 0).map((at) => `tag-${(i + at * 5) % 12}`),
          parent: `thing-${(i * 17) % documents}`,
        });
      }
    }
  }
  return entries;
}

const named = (name: string, count: number): Entry[] =>
  Array.from({ length: count }, (_, i) => ({ id: i + 1, documentId: `${name}-${i}`, name: `${name} ${(i * 7) % 10}` }));

const all: Entries = { thing: thingEntries(), author: named('author', 10), tag: named('tag', 12) };

/** The entries that live, without references to documents of which none lives. */
function living(isDead: (type: string, id: number) => boolean): Entries {
  const left = (type: keyof Entries) => all[type].filter(({ id }) => !isDead(type, id));
  const known = new Set((['thing', 'author', 'tag'] as const).flatMap(left).map(({ documentId }) => documentId));
  const thing = left('thing').map((entry) => ({
    ...entry,
    author: known.has(entry.author as string) ? entry.author : null,
    parent: known.has(entry.parent as string) ? entry.parent : null,
    tags: (entry.tags as string[]).filter((tag) => known.has(tag)),
  }));
  return { thing, author: left('author'), tag: left('tag') };
}

const load = (entries: Entries, dialect: DialectName) =>
  loadSnapshot({ contentTypes, entries, settings } as unknown as JsonSnapshot, { dialect });
const settings = { defaultLocale: 'en', locales: [{ code: 'en' }, { code: 'de' }] };

/** The same store, in which rows with some ids are dead. Rows are in the order of the ids, which begin at 1. */
function withDeadRows(store: Store, isDead: (type: string, id: number) => boolean): Store {
  const segments = store.segments.map(({ collection, id }) => {
    const { type, rowCount } = collection;
    const rows = type.uid.startsWith('api::') ? Array.from({ length: rowCount }, (_, row) => row) : [];
    const dead = rows.filter((row) => isDead(type.uid.split('.')[1], row + 1));
    return new Segment(collection, Uint32Array.from(dead), id);
  });
  return { ...store, segments };
}

const filters = [
  '',
  'filters[size][$gte]=10',
  'filters[size][$lt]=3&sort=name:desc',
  'filters[size][$in][0]=1&filters[size][$in][1]=7&filters[size][$in][2]=39',
  'filters[size][$ne]=4',
  'filters[name][$null]=true',
  'filters[name][$containsi]=1',
  'filters[flag]=true',
  'filters[flag]=true&filters[size][$gt]=20&sort=size,name:desc',
  'filters[$or][0][name][$startsWith]=name 1&filters[$or][1][size]=5',
  'filters[author][name]=author 4',
  'filters[author][name][$null]=true',
  'filters[$not][tags][name]=tag 3',
  'filters[parent][size][$lt]=15',
  'filters[children][id][$null]=true',
  'filters[children][parent][flag]=false',
  'filters[parent][author][things][size]=8',
  'sort=name',
  'sort=size:desc,id:desc',
  'sort=author.name:desc',
  'sort=tags.name,parent.size',
  'sort=children.name:desc',
  ...publicationFilters.map((filter) => `publicationFilter=${filter}`),
  'publicationFilter=modified&filters[size][$gte]=10',
  'populate=*',
  'populate[tags][sort]=name:desc&populate[author][populate]=things&populate[children][fields]=size',
  'populate[parent][filters][size][$gt]=10&populate[localizations]=true',
  'populate[tags][populate][things][sort]=author.name,size&populate[tags][populate][things][fields]=name',
];
const scopes = ['', 'status=draft', 'locale=de', 'status=draft&locale=*'];
const pages = ['pagination[pageSize]=1', 'pagination[page]=4&pagination[pageSize]=10'];
const join = (...parts: string[]) => encodeURI(`/api/things?${parts.filter((part) => part !== '').join('&')}`);
const urls = [
  ...filters.flatMap((filter) => scopes.flatMap((scope) => pages.map((page) => join(filter, scope, page)))),
  '/api/authors?populate=things&sort=things.size',
  '/api/authors?filters[things][size][$gte]=30',
  '/api/authors?filters[things][id][$null]=true',
  '/api/tags?populate[things][count]=true&sort=name',
  '/api/things/thing-6',
  '/api/things/thing-7?status=draft',
];

const cases: Record<string, (type: string, id: number) => boolean> = {
  'one row': (type, id) => type === 'thing' && id === 2,
  'a few rows of every type': (type, id) => id % { thing: 6, author: 4, tag: 3 }[type]! === 1,
  'most rows': (type, id) => id % { thing: 5, author: 3, tag: 4 }[type]! !== 1,
  'all rows of one type': (type) => type === 'author',
  'all rows': () => true,
};

const caller = { authorization: 'Bearer all' };
const strategies = ['early page', 'window of ids', 'index scan', 'top-k selection'];

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let loaded: LoadedSnapshot;
  beforeAll(async () => {
    loaded = await load(all, dialect);
  });

  test.each(Object.entries(cases))('replies leave dead rows out: %s', async (name, isDead) => {
    const options = readOptions({ tokens: [{ name: 'all', sha256: sha256('all'), type: 'full-access' }] });
    const content = new Content({ ...loaded, store: withDeadRows(loaded.store, isDead) }, options, 0);
    const expected = new Content(await load(living(isDead), dialect), options, 0);
    const expectedPages = name.startsWith('all') || name === 'most rows' ? [] : strategies;
    const found = new Set<string>();
    let answered = 0;
    for (const url of urls) {
      const [reply, { status, body }] = [await content.answer(url, caller), await expected.answer(url, caller)];
      expect([url, reply.status, String(reply.body)]).toEqual([url, status, String(body)]);
      if (status === 200) answered++;
      // an explanation takes as long as several requests
      if (expectedPages.some((page) => !found.has(page))) found.add(content.explain(url).page.split(',')[0]);
    }
    expect(answered).toBeGreaterThan(urls.length * 0.6);
    expect([...found]).toEqual(expect.arrayContaining(expectedPages));
  });
});

describe('a dead', () => {
  const withDead = async (uid: string, row: number) => {
    const { store } = await loadShared('data/demo');
    const { collection, id } = segmentOf(store, uid);
    const segments = store.segments.map((segment) =>
      segment.collection === collection ? new Segment(collection, Uint32Array.of(row), id) : segment,
    );
    return [store, { ...store, segments }];
  };

  test('user is not found, and its role counts one user less', async () => {
    const stores = await withDead(userType, 0);
    const id = collectionOf(stores[0], userType).jsonRows.value(0, 'id') as number;
    const found = stores.map((store) => findUser(store, id));
    expect(found).toEqual([expect.anything(), undefined]);
    const counted = stores.map((store) => {
      const roles = collectionOf(store, roleType);
      const suffix = entrySuffix(store, roles, true, false)!;
      return Array.from({ length: roles.rowCount }, (_, row) => Number(/\d+/.exec(String(suffix(row)))![0]));
    });
    const [all, live] = counted.map((counts) => counts.reduce((sum, count) => sum + count, 0));
    expect(live).toBe(all - 1);
  });

  test('role is no role of a user', async () => {
    const stores = await withDead(roleType, 1);
    const dead = collectionOf(stores[0], roleType).jsonRows.value(1, 'type');
    const users = collectionOf(stores[0], userType);
    const rolesIn = (store: Store) =>
      Array.from(
        { length: users.rowCount },
        (_, row) => findUser(store, users.jsonRows.value(row, 'id') as number)!.role,
      );
    expect(rolesIn(stores[0])).toContain(dead);
    expect(rolesIn(stores[1])).toEqual(rolesIn(stores[0]).map((role) => (role === dead ? null : role)));
  });
});

describe('what is derived from a segment', () => {
  const scope: Scope = { status: 'published', locale: 'en', publication: null };
  const codes = [{ low: 5, high: 20 }];
  const thing = async () => segmentOf((await load(all, 'document')).store, 'api::thing.thing');

  test('counts the rows that live, by any scope and list of dead rows', async () => {
    const { collection, id } = await thing();
    const visible = new ScopeCache(new DerivedRegistry(2 ** 20));
    const size = collection.columns.get('size')!;
    const hasCode = size.rowPredicate({ kind: 'ranges', ranges: codes });
    const rows = Array.from({ length: collection.rowCount }, (_, row) => row);
    // every third: if only one version of a document dies, a publication filter may select the others
    const lists = [[], [3], [3, 4, 90], [90], rows.filter((row) => row % 3 === 0), rows];
    for (const publication of [null, ...publicationFilters]) {
      for (const dead of lists) {
        const segment = new Segment(collection, Uint32Array.from(dead), id);
        const set = visible.rowsFor(segment, { ...scope, publication });
        const found = [...set.rows.toArray()];
        expect(found.filter((row) => dead.includes(row))).toEqual([]);
        expect(set.count).toBe(found.length);
        expect(set.countWith(size, codes)).toBe(found.filter(hasCode).length);
      }
    }
  });

  test('survives new dead rows, and the replacement of another segment', async () => {
    const registry = new DerivedRegistry(2 ** 20);
    const visible = new ScopeCache(registry);
    const base = await thing();
    const size = base.collection.columns.get('size')!;
    const count = (segment: Segment) => visible.rowsFor(segment, scope).countWith(size, codes);
    const before = count(base);
    visible.rowsFor(await thing(), scope);
    const [dead] = visible.rowsFor(base, scope).rows.toArray();
    const { misses, bytes } = registry.statistics;
    // another small segment takes the place of the one beside the base, in which a row has died
    const changed = new Segment(base.collection, Uint32Array.of(dead), base.id);
    visible.rowsFor(await thing(), scope);
    expect(registry.statistics.misses).toBe(misses + 1);
    expect([before, before - 1]).toContain(count(changed));
    expect(count(base)).toBe(before);
    // only the set of the other segment was added
    expect(registry.statistics.misses).toBe(misses + 1);
    expect(registry.statistics.bytes).toBeLessThan(bytes + 2048);
  });
});

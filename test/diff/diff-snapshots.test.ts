import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entryDifferences } from '../../src/changes/diff/compare-entries.ts';
import { diffSnapshots } from '../../src/changes/diff/diff-snapshots.ts';
import type { EntryDifference, SnapshotDifferences } from '../../src/changes/diff/differences.ts';
import { Problems } from '../../src/core/problems.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { storeBuilderFor } from '../../src/load/build-store.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadOptions } from '../../src/load/loaded.ts';
import { gazetteExport } from '../conformance/gazette.ts';
import { temporaryFolder } from '../support/folders.ts';
import { guideFolder, thingSnapshot } from '../support/guide.ts';
import { makeImageFolder, newPath } from '../support/images.ts';

makeImageFolder();

const uid = 'api::thing.thing';
const draftsAndLocales = {
  options: { draftAndPublish: true },
  pluginOptions: { i18n: { localized: true } },
};
const locales = { settings: { locales: ['en', 'fr'].map((code) => ({ code, name: code })) } };

type Source = string | JsonSnapshot;

async function diff(before: Source, after: Source, options?: LoadOptions): Promise<SnapshotDifferences> {
  const [one, other] = await Promise.all([before, after].map((source) => loadSnapshot(source, options)));
  const differences = diffSnapshots(one!, other!);
  expect([...entryDifferences(one!.store, other!.store)]).toEqual(differences.entries);
  return differences;
}

/** The entries that differ, in short: kind, name and the paths of the changes. */
function inShort(entries: readonly EntryDifference[]): string[] {
  return entries.map(({ documentId, id, locale, status, kind, changes }) => {
    const name = [documentId ?? id, locale, status].filter((part) => part !== null).join(' ');
    return [kind, name, ...changes.map(({ path }) => path)].join(' ');
  });
}

function things(attributes: Record<string, unknown>, entries: unknown[], type: object = {}, rest = {}): JsonSnapshot {
  const snapshot = thingSnapshot(attributes, entries, { ...locales, ...rest });
  Object.assign(snapshot.contentTypes![0]!, type);
  return snapshot;
}

async function diffThings(
  attributes: Record<string, unknown>,
  before: unknown[],
  after: unknown[],
  type = {},
  rest = {},
) {
  const { entries } = await diff(things(attributes, before, type, rest), things(attributes, after, type, rest));
  return entries;
}

const named = { name: { type: 'string' } };

describe('entries', () => {
  test('are added, removed and changed, in the order of their documentIds', async () => {
    const entries = await diffThings(
      named,
      [
        { id: 1, documentId: 'c', name: 'C' },
        { id: 2, documentId: 'b', name: 'B' },
        { id: 3, documentId: 'd', name: 'D' },
      ],
      [
        { id: 1, documentId: 'c', name: 'changed' },
        { id: 3, documentId: 'd', name: 'D' },
        { id: 4, documentId: 'a', name: 'A' },
      ],
    );
    expect(inShort(entries)).toEqual(['added a', 'removed b', 'changed c name']);
    expect(entries[2]).toEqual({
      type: uid,
      documentId: 'c',
      id: null,
      locale: null,
      status: null,
      kind: 'changed',
      changes: [{ path: 'name', kind: 'value', before: 'C', after: 'changed' }],
    });
  });

  test('are matched by documentId, locale and status, whatever their ids', async () => {
    const version = (id: number, locale: string, status: string, name: string) => {
      return { id, documentId: 'a', locale, status, name };
    };
    const entries = await diffThings(
      named,
      [version(1, 'en', 'draft', 'x'), version(2, 'en', 'published', 'x'), version(3, 'fr', 'draft', 'x')],
      [version(1, 'en', 'draft', 'x'), version(9, 'en', 'published', 'y'), version(3, 'fr', 'published', 'x')],
      draftsAndLocales,
    );
    expect(inShort(entries)).toEqual(['changed a en published name', 'removed a fr draft', 'added a fr published']);
  });

  test('with another id only are a minor difference, and so are those that refer to them', async () => {
    const attributes = { ...named, next: { type: 'relation', relation: 'manyToOne', target: uid } };
    const entries = (id: number) => [
      { id, documentId: 'a', name: 'A' },
      { id: 5, documentId: 'b', next: 'a' },
      { id: 6, documentId: 'c', name: 'C' },
    ];
    expect(inShort(await diffThings(attributes, entries(1), entries(2)))).toEqual(['minor a', 'minor b']);
  });

  test('in another order on the inverse side of a relation only are a minor difference', async () => {
    const attributes = {
      others: { type: 'relation', relation: 'manyToMany', target: uid, inversedBy: 'users' },
      users: { type: 'relation', relation: 'manyToMany', target: uid, mappedBy: 'others' },
    };
    const { store, dialect } = await loadSnapshot(things(attributes, []));
    const storeOf = (...inverseOrders: number[]) => {
      const builder = storeBuilderFor(store.schema, new Problems('strict'), dialect, {});
      for (const id of [1, 2, 3]) builder.rows(uid).add({ id, documentId: `d${id}` }, true, '');
      const links = builder.links(uid, 'others');
      for (const [source, order] of inverseOrders.entries()) links.add(source, builder.numberOf(uid), 2, 0, order);
      return builder.finish('en');
    };
    expect(inShort([...entryDifferences(storeOf(1, 2), storeOf(2, 1))])).toEqual(['minor d1', 'minor d2']);
    expect([...entryDifferences(storeOf(1, 2), storeOf(1, 2))]).toEqual([]);
  });

  test('of a single type are compared like others', async () => {
    const single = { kind: 'singleType' };
    const entries = await diffThings(named, [{ documentId: 'a', name: 'A' }], [{ documentId: 'a' }], single);
    expect(inShort(entries)).toEqual(['changed a name']);
    expect(entries[0]!.changes[0]).toMatchObject({ before: 'A', after: null });
  });

  test('without a documentId are matched by id', async () => {
    const { store, dialect } = await loadSnapshot(things(named, []));
    const storeOf = (rows: object[]) => {
      const builder = storeBuilderFor(store.schema, new Problems('tolerant'), dialect, {});
      for (const row of rows) builder.rows(uid).add(row as Record<string, unknown>, true, '');
      return builder.finish('en');
    };
    const before = storeOf([
      { id: 1, name: 'x' },
      { id: 2, name: 'x' },
    ]);
    const after = storeOf([
      { id: 2, name: 'y' },
      { id: 10, name: 'x' },
    ]);
    const entries = [...entryDifferences(before, after)];
    expect(inShort(entries)).toEqual(['removed 1', 'changed 2 name', 'added 10']);
    expect(entries[0]).toMatchObject({ documentId: null, id: 1 });
  });

  test('of a JSON file without documentIds are matched by its keys', async () => {
    const folder = temporaryFolder();
    const posts = (...titles: string[]) => {
      const path = join(folder, `${titles.length}.json`);
      writeFileSync(path, JSON.stringify({ posts: titles.map((title, i) => ({ id: i + 1, title })) }));
      return path;
    };
    const { entries, types } = await diff(posts('One', 'Two'), posts('One', '2', 'Three'));
    expect(types).toEqual([]);
    expect(inShort(entries)).toEqual(['changed 2 title', 'added 3']);
  });

  test('of a type that loses its drafts are compared with the published ones', async () => {
    const versions = [
      { id: 1, documentId: 'a', status: 'published', name: 'x' },
      { id: 2, documentId: 'a', status: 'draft', name: 'y' },
    ];
    const before = things(named, versions, { options: { draftAndPublish: true } });
    const after = things(named, [{ id: 1, documentId: 'a', name: 'z' }]);
    expect(inShort((await diff(before, after)).entries)).toEqual(['changed a name', 'removed a draft']);
  });
});

describe('changed attributes', () => {
  const relation = (kind: string) => ({ type: 'relation', relation: kind, target: uid });
  const key = (documentId: string) => ({ type: uid, documentId, id: null, locale: null, status: null });
  const three = [1, 2, 3].map((id) => ({ id, documentId: `t${id}` }));

  test('are relations, with the keys of their targets', async () => {
    const attributes = { one: relation('manyToOne'), many: relation('manyToMany') };
    const [first, ...others] = three;
    const entries = await diffThings(
      attributes,
      [{ ...first, one: 't2', many: ['t2', 't3'] }, ...others],
      [{ ...first, one: null, many: ['t3', 't2'] }, ...others],
    );
    expect(entries.map(({ changes }) => changes)).toEqual([
      [
        { path: 'one', kind: 'relation', before: key('t2'), after: null },
        { path: 'many', kind: 'relation', before: [key('t2'), key('t3')], after: [key('t3'), key('t2')] },
      ],
    ]);
  });

  test('are morph relations, by type and documentId', async () => {
    const attributes = {
      one: { type: 'relation', relation: 'morphToOne' },
      many: { type: 'relation', relation: 'morphToMany' },
    };
    const to = (documentId: string) => ({ __type: uid, documentId });
    const [first, ...others] = three;
    const entries = await diffThings(
      attributes,
      [{ ...first, one: to('t1'), many: [to('t1'), to('t2')] }, ...others],
      [{ ...first, one: to('t2'), many: [to('t1')] }, ...others],
    );
    expect(entries[0]!.changes).toEqual([
      { path: 'one', kind: 'relation', before: key('t1'), after: key('t2') },
      { path: 'many', kind: 'relation', before: [key('t1'), key('t2')], after: [key('t1')] },
    ]);
  });

  test('are relations to an id that belongs to another entry now', async () => {
    const attributes = { one: relation('manyToOne') };
    const entries = (documentId: string) => [
      { id: 1, documentId: 'a', one: documentId },
      { id: 2, documentId },
    ];
    const differences = await diffThings(attributes, entries('b'), entries('c'));
    expect(inShort(differences)).toEqual(['changed a one', 'removed b', 'added c']);
  });

  const components = {
    'part.link': { attributes: { text: { type: 'string' }, to: relation('manyToOne') } },
    'part.list': { attributes: { links: { type: 'component', component: 'part.link', repeatable: true } } },
  };
  const withComponents = {
    seo: { type: 'component', component: 'part.list' },
    zone: { type: 'dynamiczone', components: ['part.link', 'part.list'] },
  };
  const link = (text: string, rest = {}) => ({ __component: 'part.link', text, ...rest });
  const zone = (...parts: unknown[]) => [{ id: 1, documentId: 'a', zone: parts }];
  const diffZones = async (before: unknown[], after: unknown[]) =>
    (await diffThings(withComponents, before, after, {}, { components }))[0]?.changes;

  test('are in components, by their path', async () => {
    const list = (text: string, to: string) => ({ links: [{ text: 'same' }, { text, to }] });
    const entry = (text: string, to: string) => ({
      id: 1,
      documentId: 'a',
      seo: list('x', 'a'),
      zone: [link('x'), { __component: 'part.list', ...list(text, to) }],
    });
    const other = { id: 2, documentId: 'b' };
    expect(await diffZones([entry('x', 'a'), other], [entry('y', 'b'), other])).toEqual([
      { path: 'zone[1].links[1].text', kind: 'value', before: 'x', after: 'y' },
      { path: 'zone[1].links[1].to', kind: 'relation', before: key('a'), after: key('b') },
    ]);
  });

  test('are components that were added or removed as a whole', async () => {
    const seo = { links: [{ text: 'x', to: 'a' }] };
    expect(await diffZones([{ id: 1, documentId: 'a' }], [{ id: 1, documentId: 'a', seo }])).toEqual([
      { path: 'seo', kind: 'value', before: null, after: { links: [{ text: 'x', to: key('a') }] } },
    ]);
  });

  test('are the items of a list between those that both lists begin and end with', async () => {
    const added = { path: 'zone[1]', kind: 'value', before: null, after: link('new', { to: null }) };
    expect(await diffZones(zone(link('a'), link('b')), zone(link('a'), link('new'), link('b')))).toEqual([added]);
    expect(await diffZones(zone(link('a'), link('new'), link('b')), zone(link('a'), link('b')))).toEqual([
      { ...added, before: added.after, after: null },
    ]);
    const equal = await diffZones(zone(link('a'), link('a')), zone(link('a'), link('a'), link('a')));
    expect(equal!.map(({ path }) => path)).toEqual(['zone[2]']);
  });

  test('are components of another type as a whole', async () => {
    const changes = await diffZones(zone(link('a')), zone({ __component: 'part.list', links: [] }));
    expect(changes).toEqual([
      {
        path: 'zone[0]',
        kind: 'value',
        before: link('a', { to: null }),
        after: { __component: 'part.list', links: [] },
      },
    ]);
  });

  test('distinguish null from an empty list in JSON', async () => {
    const attributes = { extra: { type: 'json' } };
    const entries = await diffThings(attributes, [{ documentId: 'a', extra: null }], [{ documentId: 'a', extra: [] }]);
    expect(entries[0]!.changes).toEqual([{ path: 'extra', kind: 'value', before: null, after: [] }]);
  });
});

describe('private attributes', () => {
  test('have no values and cause no difference', async () => {
    const attributes = { ...named, secret: { type: 'string', private: true }, password: { type: 'password' } };
    const entry = (secret: string) => [{ id: 1, documentId: 'a', secret, password: secret }];
    expect(await diffThings(attributes, entry('x'), entry('y'))).toEqual([]);
  });

  test('are named only, if their inverse side shows a relation', async () => {
    const attributes = {
      owner: { type: 'relation', relation: 'manyToOne', target: uid, inversedBy: 'owned', private: true },
      owned: { type: 'relation', relation: 'oneToMany', target: uid, mappedBy: 'owner' },
    };
    const entries = (owner: string | null) => [
      { id: 1, documentId: 'a', owner },
      { id: 2, documentId: 'b' },
    ];
    const [changed] = await diffThings(attributes, entries('a'), entries('b'));
    expect(changed!.changes).toEqual([{ path: 'owner', kind: 'private', before: null, after: null }]);
  });

  test('of the other snapshot are not shown either', async () => {
    const before = things({ ...named, note: { type: 'string' } }, [{ documentId: 'a', note: 'confidential' }]);
    const after = things({ ...named, note: { type: 'string', private: true } }, [{ documentId: 'a', note: 'x' }]);
    const differences = await diff(before, after);
    expect(inShort(differences.entries)).toEqual(['minor a']);
    expect(JSON.stringify(differences)).not.toContain('confidential');
    expect(differences.types[0]!.attributes.map(({ name }) => name)).toEqual(['note']);
  });
});

describe('types and settings', () => {
  test('name the attributes that were added, removed or changed, and list only entries with other values', async () => {
    const before = things({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'integer' } }, [
      { documentId: 'x', b: 'x', c: 1 },
      { documentId: 'y', b: 'y' },
      { documentId: 'z', c: 2 },
    ]);
    const after = things({ d: { type: 'json' }, b: { type: 'text' }, a: { type: 'string' } }, [
      { documentId: 'x', b: 'x' },
      { documentId: 'y', b: 'y', d: [] },
      { documentId: 'z' },
    ]);
    const { types, entries } = await diff(before, after);
    expect(types).toHaveLength(1);
    expect(types[0]).toMatchObject({ type: uid, kind: 'changed', properties: [], isReordered: true });
    const { attributes } = types[0]!;
    expect(attributes.map(({ name, before: old, after: current }) => [name, old !== null, current !== null])).toEqual([
      ['b', true, true],
      ['c', true, false],
      ['d', false, true],
    ]);
    expect(inShort(entries)).toEqual(['changed x c', 'changed y d', 'changed z c']);
  });

  test('an empty attribute more is a minor difference of an entry', async () => {
    const { entries } = await diff(
      things(named, [{ documentId: 'x', name: 'x' }]),
      things({ ...named, more: { type: 'string' } }, [{ documentId: 'x', name: 'x' }]),
    );
    expect(inShort(entries)).toEqual(['minor x']);
  });

  test('types are added and removed with their entries', async () => {
    const one = things(named, [{ documentId: 'a' }]);
    const other = { ...one, contentTypes: [], entries: {} };
    const removed = await diff(one, other, { tolerance: 'tolerant' });
    expect(removed.types).toMatchObject([{ type: uid, kind: 'removed' }]);
    expect(inShort(removed.entries)).toEqual(['removed a']);
    const added = await diff(other, one, { tolerance: 'tolerant' });
    expect(added.types).toMatchObject([{ type: uid, kind: 'added' }]);
    expect(inShort(added.entries)).toEqual(['added a']);
  });

  test('properties of a type, locales, roles and the default locale', async () => {
    const roles = (...list: [string, string[]][]) => ({
      roles: list.map(([type, permissions]) => ({ type, permissions })),
    });
    const before = things(named, [], {}, roles(['public', [`${uid}.find`]], ['reader', [`${uid}.find`]], ['old', []]));
    const settings = {
      defaultLocale: 'de',
      locales: [
        { code: 'de', name: 'de' },
        { code: 'en', name: 'en' },
      ],
    };
    const after = things(named, [], draftsAndLocales, {
      settings,
      ...roles(['public', [`${uid}.findOne`]], ['reader', [`${uid}.find`]], ['new', [`${uid}.find`]]),
    });
    const differences = await diff(before, after);
    expect(differences.isEqual).toBe(false);
    expect(differences.types[0]!.properties).toEqual([
      { path: 'draftAndPublish', kind: 'value', before: false, after: true },
      { path: 'localized', kind: 'value', before: false, after: true },
    ]);
    expect(differences.locales).toEqual({ added: ['de'], removed: ['fr'] });
    expect(differences.settings).toEqual([{ path: 'defaultLocale', kind: 'value', before: 'en', after: 'de' }]);
    expect(differences.roles).toEqual([
      { role: 'new', kind: 'added', permissions: { added: [`${uid}.find`], removed: [] } },
      { role: 'old', kind: 'removed', permissions: { added: [], removed: [] } },
      { role: 'public', kind: 'changed', permissions: { added: [`${uid}.findOne`], removed: [`${uid}.find`] } },
    ]);
  });

  test('only roles: the versions are equal, the snapshots are not', async () => {
    const before = things(named, []);
    const after = { ...before, roles: [{ type: 'public', permissions: [] }] };
    const { versions, isEqual, roles, entries } = await diff(before, after as JsonSnapshot);
    expect(versions.after).toBe(versions.before);
    expect(isEqual).toBe(false);
    expect(roles).toHaveLength(1);
    expect(entries).toEqual([]);
  });

  test('users by public attributes, and those who are blocked', async () => {
    const user = (rest: object) => ({
      ...things(named, []),
      entries: { user: [{ documentId: 'u', username: 'u', email: 'u@example.org', ...rest }] },
    });
    const before = user({ password: 'hash-one', resetPasswordToken: 'token-one' });
    const after = user({ password: 'hash-two', resetPasswordToken: 'token-two', blocked: true });
    const differences = await diff(before, after);
    expect(differences.blockedUsers).toEqual({ added: ['u'], removed: [] });
    expect(inShort(differences.entries)).toEqual(['changed u blocked']);
    expect(JSON.stringify(differences)).not.toMatch(/hash-|token-/);
  });
});

describe('forms of snapshots', () => {
  test.each([
    ['a JSON snapshot', guideFolder],
    ['an export', gazetteExport],
  ])('%s equals its image', async (_, source) => {
    const loaded = await loadSnapshot(source);
    const image = newPath();
    await writeImage(image, imageContentOf(loaded));
    expect(await diff(source, image)).toMatchObject({ isEqual: true, entries: [], types: [], roles: [] });
  });

  test('uploaded files are compared by name, if both snapshots list them', async () => {
    const without = await diff(guideFolder, gazetteExport);
    expect(without.uploads!.added.length).toBeGreaterThan(3);
    expect(without.uploads!.removed).toEqual([]);
    const loaded = await loadSnapshot(gazetteExport);
    const unknown = { ...loaded, uploadedFiles: { kind: 'folder', path: '/nowhere', names: null } } as const;
    expect(diffSnapshots(unknown, loaded)).toMatchObject({ uploads: null, isEqual: true });
  });
});

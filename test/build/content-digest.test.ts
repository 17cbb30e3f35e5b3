import { beforeAll, describe, expect, test } from 'vitest';
import { identityOf } from '../../src/content/versions/version.ts';
import { Problems } from '../../src/core/problems.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { Store } from '../../src/store/store.ts';
import { ContentDigest, prepareDigests, RowDigests } from '../../src/store/writer/rows/row-digest.ts';
import { StoreBuilder } from '../../src/store/writer/store-builder.ts';
import { thingSnapshot } from '../support/guide.ts';

beforeAll(prepareDigests);

const uid = 'api::thing.thing';
const attributes = {
  name: { type: 'string' },
  others: { type: 'relation', relation: 'manyToMany', target: uid, inversedBy: 'users' },
  users: { type: 'relation', relation: 'manyToMany', target: uid, mappedBy: 'others' },
  zone: { type: 'dynamiczone', components: ['part.one', 'part.two'] },
};
const components = {
  'part.one': { attributes: { text: { type: 'string' } } },
  'part.two': { attributes: { text: { type: 'string' } } },
};
const entries = [
  { id: 1, documentId: 'a', name: 'A', others: ['b', 'c'], zone: [{ __component: 'part.one', id: 1, text: 'x' }] },
  { id: 2, documentId: 'b', name: 'B', others: ['a'] },
  { id: 3, documentId: 'c', name: 'C' },
];

function snapshotOf(list: readonly object[], rest: object = {}): JsonSnapshot {
  return thingSnapshot(attributes, [...list], { components, ...rest });
}

async function storeOf(list: readonly object[], rest: object = {}): Promise<Store> {
  return (await loadSnapshot(snapshotOf(list, rest))).store;
}

/** The entries with one of them changed. */
function changed(position: number, change: object): object[] {
  return entries.map((entry, i) => (i === position ? { ...entry, ...change } : entry));
}

describe('the version of a content', () => {
  test('has 32 hexadecimal digits', async () => {
    expect((await storeOf(entries)).contentDigest).toMatch(/^[0-9a-f]{32}$/);
  });

  test('does not depend on the order of entries', async () => {
    const [one, other] = [await storeOf(entries), await storeOf(entries.toReversed())];
    expect(other.contentDigest).toBe(one.contentDigest);
  });

  test('does not depend on the order of types and components, but on that of attributes', async () => {
    const type = (name: string, fields: object) => ({
      info: { singularName: name, pluralName: `${name}s` },
      attributes: fields,
    });
    const text = { type: 'string' };
    const relation = { type: 'relation', relation: 'manyToMany' };
    const pears = { ...relation, target: 'api::pear.pear', inversedBy: 'apples' };
    const part = { type: 'component', component: 'part.one' };
    const types = [
      type('apple', { title: text, note: text, pears, part }),
      type('pear', { title: text, apples: { ...relation, target: 'api::apple.apple', mappedBy: 'pears' } }),
      type('fig', { apple: { ...relation, relation: 'oneToOne', target: 'api::apple.apple' } }),
    ];
    const given = {
      apple: [{ id: 1, documentId: 'a1', title: 'A', pears: ['p2', 'p1'], part: { id: 1, text: 'x' } }],
      pear: [
        { id: 1, documentId: 'p1', title: 'P' },
        { id: 2, documentId: 'p2' },
      ],
      fig: [{ id: 1, documentId: 'f1', apple: 'a1' }],
    };
    const load = (order: readonly number[], parts: object, own = types) => {
      const contentTypes = order.map((i) => own[i]);
      return loadSnapshot({ contentTypes, components: parts, entries: given } as unknown as JsonSnapshot);
    };
    const one = await load([0, 1, 2], components);
    for (const order of [
      [2, 1, 0],
      [1, 2, 0],
      [0, 2, 1],
    ]) {
      const other = await load(order, Object.fromEntries(Object.entries(components).toReversed()));
      expect(other.store.contentDigest).toBe(one.store.contentDigest);
      expect(identityOf(other)).toBe(identityOf(one));
    }
    const swapped = [type('apple', { note: text, title: text, pears, part }), ...types.slice(1)];
    expect((await load([0, 1, 2], components, swapped)).store.contentDigest).not.toBe(one.store.contentDigest);
  });

  test('does not depend on the order of entries that are versions of one document', async () => {
    const locales = { settings: { locales: ['en', 'fr'].map((code) => ({ code, name: code })) } };
    const localized = (list: object[]): JsonSnapshot => {
      const snapshot = thingSnapshot({ name: { type: 'string' } }, list, locales);
      Object.assign(snapshot.contentTypes![0]!, { pluginOptions: { i18n: { localized: true } } });
      return snapshot;
    };
    const versions = ['en', 'fr'].map((locale, i) => ({ id: i + 1, documentId: 'a', locale, name: locale }));
    const stores = [versions, versions.toReversed()].map(async (list) => (await loadSnapshot(localized(list))).store);
    const [one, other] = await Promise.all(stores);
    expect(other!.contentDigest).toBe(one!.contentDigest);
  });

  test.each([
    ['a value', changed(0, { name: 'Z' })],
    ['an id', changed(2, { id: 4 })],
    ['the target of a link', changed(1, { others: ['c'] })],
    ['the order of links', changed(0, { others: ['c', 'b'] })],
    ['a missing link', changed(1, { others: [] })],
    ['a value of a component', changed(0, { zone: [{ __component: 'part.one', id: 1, text: 'y' }] })],
    ['the type of a component', changed(0, { zone: [{ __component: 'part.two', id: 1, text: 'x' }] })],
    ['an entry more', [...entries, { id: 4, documentId: 'd' }]],
  ])('covers %s', async (_, list) => {
    expect((await storeOf(list)).contentDigest).not.toBe((await storeOf(entries)).contentDigest);
  });

  test('covers the default locale and the schema', async () => {
    const { contentDigest } = await storeOf(entries);
    const locales = ['en', 'fr'].map((code) => ({ code, name: code }));
    const inFrench = { settings: { defaultLocale: 'fr', locales } };
    const inEnglish = { settings: { defaultLocale: 'en', locales } };
    expect((await storeOf(entries, inFrench)).contentDigest).not.toBe(
      (await storeOf(entries, inEnglish)).contentDigest,
    );
    const wider = thingSnapshot({ ...attributes, more: { type: 'json', private: true } }, entries, { components });
    expect((await loadSnapshot(wider)).store.contentDigest).not.toBe(contentDigest);
  });

  test('covers status', async () => {
    const withDrafts = (status: string): JsonSnapshot => {
      const snapshot = thingSnapshot({ name: { type: 'string' } }, [
        { id: 1, documentId: 'a', status, publishedAt: null },
      ]);
      Object.assign(snapshot.contentTypes![0]!, { options: { draftAndPublish: true } });
      return snapshot;
    };
    const [one, other] = await Promise.all(['draft', 'published'].map((status) => loadSnapshot(withDrafts(status))));
    expect(one!.store.contentDigest).not.toBe(other!.store.contentDigest);
  });

  test('covers the positions on the inverse side of a relation, on which its order depends', async () => {
    const { schema } = await storeOf(entries);
    const versionOf = (...inverseOrders: number[]) => {
      const builder = new StoreBuilder(schema, new Problems('strict'), {});
      for (const id of [1, 2, 3]) builder.rows(uid).add({ id, documentId: `d${id}` }, true, '');
      const links = builder.links(uid, 'others');
      for (const [source, order] of inverseOrders.entries()) links.add(source, builder.numberOf(uid), 2, 0, order);
      return builder.finish('en').contentDigest;
    };
    expect(versionOf(1, 2)).not.toBe(versionOf(2, 1));
    expect(versionOf(1, 2)).toBe(versionOf(1, 2));
  });
});

test('a change subtracts and adds the digests of rows', async () => {
  const before = await storeOf(entries);
  const after = await storeOf([
    ...changed(0, { name: 'Z', others: ['c', 'd'] }),
    { id: 9, documentId: 'd', name: 'D' },
  ]);
  const digest = new ContentDigest(before.contentDigest);
  const { number } = before.byUid.get(uid)!;
  const [old, changes] = [new RowDigests(before), new RowDigests(after)];
  digest.subtract(old.of(number, 0));
  for (const row of [0, 3]) digest.add(changes.of(number, row));
  expect(String(digest)).toBe(after.contentDigest);
});

test('a sum keeps its leading zeros', () => {
  const digest = new ContentDigest();
  digest.subtract({ high: 0n, low: 1n });
  expect(String(digest)).toBe(`${'0'.repeat(16)}${'f'.repeat(16)}`);
  digest.add({ high: 3n, low: 2n });
  expect(String(digest)).toBe(`${'3'.padStart(16, '0')}${'1'.padStart(16, '0')}`);
});

test('long rows are covered to their end', async () => {
  const long = 'é'.repeat(100_000);
  const [one, other] = await Promise.all(['x', 'y'].map((last) => storeOf(changed(0, { name: long + last }))));
  expect(one!.contentDigest).not.toBe(other!.contentDigest);
});

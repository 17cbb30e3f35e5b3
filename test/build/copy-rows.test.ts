/** Rows of a store are copied into a builder: whole, the store is the same; in part, it is the one of these rows. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialectFor } from '../../src/core/dialect.ts';
import { Problems } from '../../src/core/problems.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { storeBuilderFor } from '../../src/load/build-store.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { imageContentOf } from '../../src/load/image-snapshot.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot, LoadOptions } from '../../src/load/loaded.ts';
import type { Collection } from '../../src/store/collection.ts';
import type { NumberDictionary } from '../../src/store/columns/number-dictionary.ts';
import type { Adjacency } from '../../src/store/links/adjacency.ts';
import type { Store } from '../../src/store/store.ts';
import { copyRows } from '../../src/store/writer/copy/copy-rows.ts';
import { gazetteExport } from '../conformance/gazette.ts';
import { cases } from '../property/arbitraries.ts';
import { guideFolder, thingSnapshot } from '../support/guide.ts';
import { makeImageFolder, newPath } from '../support/images.ts';

makeImageFolder();

const museumExport = fileURLToPath(new URL('../conformance/museum/export.tar.gz', import.meta.url));
const almanacExport = fileURLToPath(new URL('../conformance/almanac/export.tar.gz', import.meta.url));
const demo = fileURLToPath(new URL('../../data/demo', import.meta.url));

type IsKept = (collection: Collection, row: number) => boolean;

function copyOf({ store, dialect }: LoadedSnapshot, options: LoadOptions = {}, isKept?: IsKept): Store {
  const linksLocalizations = dialect.strapiMajorVersion === 4;
  const problems = new Problems('strict');
  const builder = storeBuilderFor(store.schema, problems, dialect, options, {
    gathersJsonTexts: true,
    linksLocalizations,
  });
  copyRows(store, builder, isKept);
  problems.throwIfAny();
  return builder.finish(store.defaultLocale);
}

async function imageOf(loaded: LoadedSnapshot, store = loaded.store): Promise<Buffer> {
  const path = newPath();
  const content = imageContentOf({ ...loaded, warnings: [] });
  await writeImage(path, { ...content, store });
  return readFileSync(path);
}

async function expectSame(loaded: LoadedSnapshot, copy: Store): Promise<void> {
  expect(copy.contentDigest).toBe(loaded.store.contentDigest);
  const [expected, found] = [await imageOf(loaded), await imageOf(loaded, copy)];
  expect(found.equals(expected)).toBe(true);
}

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test.each([
    ['the guide', guideFolder],
    ['the demo magazine', demo],
    ['an export', gazetteExport],
    ['an export with locales', museumExport],
    ['an export with media lists', almanacExport],
  ])('a copy of all rows gives the same image: %s', async (_, source) => {
    const loaded = await loadSnapshot(source, { dialect });
    await expectSame(loaded, copyOf(loaded));
  });

  test('a copy of all rows gives the same image: random content', async () => {
    const property = fc.asyncProperty(cases({ dialect, requests: 0, withRoles: false }), async ({ snapshot }) => {
      const loaded = await loadSnapshot(snapshot as JsonSnapshot, { dialect });
      await expectSame(loaded, copyOf(loaded));
    });
    await fc.assert(property, { numRuns: 8 });
  });

  test('a copy of some rows gives the image of these rows: random content', async () => {
    const random = cases({ dialect, requests: 0, withRoles: false });
    const property = fc.asyncProperty(random, fc.integer({ min: 2, max: 5 }), async ({ snapshot }, modulus) => {
      const isKept = (documentId: unknown) => Number(String(documentId).split('-').at(-1)) % modulus !== 0;
      const all = withIds(snapshot as JsonSnapshot);
      const whole = await loadSnapshot(all, { dialect });
      const part = await loadSnapshot(withEntries(all, isKept), { dialect, tolerance: 'tolerant' });
      await expectSame(part, copyOf(whole, {}, entriesAndComponents(whole.store, isKept)));
    });
    await fc.assert(property, { numRuns: 8 });
  });
});

test('a copy of some rows of an export keeps the order of relations on both sides', async () => {
  const whole = await loadSnapshot(gazetteExport);
  const isKept = (_: Collection, row: number) => row % 3 !== 0;
  const once = copyOf(whole, {}, isKept);
  const { number, links } = once.byUid.get('api::restaurant.restaurant')!;
  expect(links.size).toBeGreaterThan(3);
  const original = whole.store.collections[number]!;
  for (const [name, pair] of links) {
    const target = whole.store.byUid.get((original.type.attributes.get(name) as { target: string }).target)!;
    for (const [direction, sources, targets] of [
      ['forward', original, target],
      ['reverse', target, original],
    ] as const) {
      const kept = listsOf(
        original.links.get(name)![direction],
        isKept.bind(null, sources),
        isKept.bind(null, targets),
      );
      const ids = (collection: Collection) => numbersOf(once.byUid.get(collection.type.uid)!);
      const copied = listsOf(
        pair[direction],
        () => true,
        () => true,
      ).map(([source, list]) => [ids(sources)[source]!, list.map((row) => ids(targets)[row]!)]);
      expect(copied, name).toEqual(
        kept.map(([source, list]) => [numbersOf(sources)[source]!, list.map((row) => numbersOf(targets)[row]!)]),
      );
    }
  }
});

test('JSON as text is copied only from a store that has it', async () => {
  const snapshot = thingSnapshot({ extra: { type: 'json' } }, [{ documentId: 'a', extra: { b: 1 } }]);
  const loaded = await loadSnapshot(snapshot, { dialect: 'document' });
  const copy = () => copyOf({ ...loaded, dialect: dialectFor('strapi', null) });
  expect(copy).toThrow(/^\S+ has no JSON as text of \w+$/);
});

test('added rows follow copied ones', async () => {
  const snapshot = thingSnapshot({ name: { type: 'string' } }, [{ documentId: 'a', name: 'x' }]);
  const { store, dialect } = await loadSnapshot(snapshot);
  const builder = storeBuilderFor(store.schema, new Problems('strict'), dialect, {}, { gathersJsonTexts: true });
  copyRows(store, builder);
  builder.rows('api::thing.thing').add({ id: 7, documentId: 'b', name: 'x' }, true, '');
  const { columns, jsonRows } = builder.finish('en').byUid.get('api::thing.thing')!;
  expect([...columns.get('name')!.codes]).toEqual([1, 1]);
  expect(jsonRows.value(1, 'name')).toBe('x');
});

/** The snapshot with an id in every entry. */
function withIds(snapshot: JsonSnapshot): JsonSnapshot {
  const entries = Object.entries(snapshot.entries ?? {}).map(([name, list]) => [
    name,
    (list as object[]).map((entry, i) => ({ id: 1_000 + i, ...entry })),
  ]);
  return { ...snapshot, entries: Object.fromEntries(entries) };
}

const ownTypes = (snapshot: JsonSnapshot) =>
  new Set(snapshot.contentTypes!.map(({ info }) => (info as { singularName: string }).singularName));

function withEntries(snapshot: JsonSnapshot, isKept: (documentId: unknown) => boolean): JsonSnapshot {
  const own = ownTypes(snapshot);
  const entries = Object.entries(snapshot.entries ?? {}).map(([name, list]) => [
    name,
    own.has(name) ? (list as { documentId: string }[]).filter(({ documentId }) => isKept(documentId)) : list,
  ]);
  return { ...snapshot, entries: Object.fromEntries(entries) };
}

/** Keeps the entries of own content types with some documentIds, and the components in these entries. */
function entriesAndComponents(store: Store, isKept: (documentId: unknown) => boolean): IsKept {
  const kept = store.collections.map(() => new Set<number>());
  const keep = ({ type, number, links, polymorphic }: Collection, row: number) => {
    kept[number]!.add(row);
    for (const { kind, name } of type.attributes.values()) {
      if (kind !== 'component' && kind !== 'dynamiczone') continue;
      const adjacency = kind === 'component' ? links.get(name)?.forward : polymorphic.get(name);
      const [start, end] = adjacency ? [adjacency.offsets[row]!, adjacency.offsets[row + 1]!] : [0, 0];
      for (let link = start; link < end; link++) {
        const target = (type.attributes.get(name) as { target?: string }).target;
        const number = target ? store.byUid.get(target)!.number : polymorphic.get(name)!.collections[link]!;
        keep(store.collections[number]!, adjacency!.targets[link]!);
      }
    }
  };
  for (const collection of store.collections) {
    const { uid, kind } = collection.type;
    if (kind === 'component') continue;
    for (let row = 0; row < collection.rowCount; row++) {
      if (!uid.startsWith('api::') || isKept(collection.jsonRows.value(row, 'documentId'))) keep(collection, row);
    }
  }
  return ({ number }, row) => kept[number]!.has(row);
}

function numbersOf({ columns }: Collection): Float64Array {
  return (columns.get('id')!.dictionary as NumberDictionary).values;
}

type List = [source: number, targets: number[]];

function listsOf(
  { offsets, targets }: Adjacency,
  hasSource: (row: number) => boolean,
  hasTarget: (row: number) => boolean,
): List[] {
  const lists = Array.from(offsets.subarray(1), (end, row): List => [row, [...targets.subarray(offsets[row], end)]]);
  return lists.filter(([row]) => hasSource(row)).map(([row, list]) => [row, list.filter(hasTarget)]);
}

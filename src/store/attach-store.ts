/** Describes a store as flat arrays and a manifest, and attaches it to them. */

import type { Allocator } from '../core/memory/allocator.ts';
import { BitSet } from '../core/sets/bit-set.ts';
import { runAtOnce, type Steps } from '../core/steps.ts';
import { type EntryType, type Schema, servedScalars } from '../model/schema/schema.ts';
import { attachJsonRows, describeJsonRows } from './attach-json-rows.ts';
import { type Collection, orderKeysOf, searchKeysOf } from './collection.ts';
import { attachColumn, describeColumn } from './columns/attach-column.ts';
import type { Column } from './columns/column.ts';
import type { NumberDictionary } from './columns/number-dictionary.ts';
import { ArrayList, type ArrayManifest, ArrayTable, type FlatArray } from './flat-arrays.ts';
import type { Adjacency, AdjacencyPair, LinkPositions, PolymorphicAdjacency } from './links/adjacency.ts';
import { attachChanges, describeChangesInSteps } from './overlay/attach-changes.ts';
import { createStore, type Store } from './store.ts';

/** Everything about a store but its schema and its arrays. It can be written as JSON. */
export interface StoreManifest {
  readonly version: string;
  readonly schemaKey: string;
  readonly defaultLocale: string;
  readonly locales: readonly string[];
  readonly arrays: ArrayManifest;
}

export interface StoreParts {
  readonly manifest: StoreManifest;
  readonly arrays: readonly FlatArray[];
}

/** Returns the arrays of the collections. They are those of the store: they are not copied. Changes are left out. */
export function arraysOf(store: Store): ArrayList {
  const list = new ArrayList();
  for (const collection of store.collections) describeCollection(list, collection);
  return list;
}

/** Describes a store with its changes, for which `allocator` makes memory (see `describeChangesInSteps`). */
export function* describeStoreInSteps(store: Store, allocator?: Allocator): Steps<StoreParts> {
  const list = arraysOf(store);
  yield* describeChangesInSteps(list, store.segments, allocator);
  const { contentDigest: version, schemaKey, defaultLocale, locales } = store;
  const manifest = { version, schemaKey, defaultLocale, locales: [...locales], arrays: list.manifest };
  return { manifest, arrays: list.arrays };
}

export function describeStore(store: Store): StoreParts {
  return runAtOnce(describeStoreInSteps(store));
}

/**
 * Takes time for each attribute and for the changes, but none that grows with the rows of the collections. Throws if the
 * arrays do not fit the manifest.
 */
export function attachStore(schema: Schema, { manifest, arrays }: StoreParts): Store {
  const table = new ArrayTable(manifest.arrays, arrays);
  const collections = Array.from(schema.types.values(), (type, number) => attachCollection(table, type, number));
  const { version: contentDigest, schemaKey, defaultLocale } = manifest;
  const locales = new Set(manifest.locales);
  const segments = attachChanges(table, collections);
  return createStore({ contentDigest, schema, schemaKey, locales, defaultLocale }, segments);
}

/** The name in images, which had texts of JSON alone. */
const textsPath = 'jsonTexts';

function describeCollection(list: ArrayList, collection: Collection): void {
  const { uid } = collection.type;
  list.addNumber(`${uid}/rowCount`, collection.rowCount);
  // so that equal rows give equal images
  if (collection.greatestId > lastId(collection.columns)) list.addNumber(`${uid}/greatestId`, collection.greatestId);
  for (const [name, column] of collection.columns) describeColumn(list, `${uid}/columns/${name}`, column);
  for (const [name, column] of collection.comparedTexts) describeColumn(list, `${uid}/${textsPath}/${name}`, column);
  describeJsonRows(list, `${uid}/jsonRows`, collection.jsonRows);
  for (const [name, pair] of collection.links) describePair(list, `${uid}/links/${name}`, pair);
  if (collection.versions) describePair(list, `${uid}/versions`, collection.versions);
  for (const [name, adjacency] of collection.polymorphic) {
    describeAdjacency(list, `${uid}/polymorphic/${name}`, adjacency);
    list.add(`${uid}/polymorphic/${name}/collections`, adjacency.collections);
    describePositions(list, `${uid}/polymorphic/${name}/inverse`, adjacency.inversePositions);
    if (adjacency.shownBy) list.add(`${uid}/polymorphic/${name}/shownBy`, adjacency.shownBy);
  }
  if (collection.loadOrder) list.add(`${uid}/loadOrder`, collection.loadOrder);
  list.add(`${uid}/allRows`, collection.allRows.words);
  if (collection.published) list.add(`${uid}/published`, collection.published.words);
  if (collection.drafts) list.add(`${uid}/drafts`, collection.drafts.words);
}

function attachCollection(table: ArrayTable, type: EntryType, number: number): Collection {
  const { uid } = type;
  const rowCount = table.number(`${uid}/rowCount`);
  const scalars = servedScalars(type);
  const columns = new Map(scalars.map(({ name, type }) => [name, attachColumn(table, `${uid}/columns/${name}`, type)]));
  const comparedTexts = new Map<string, Column>();
  for (const name of scalars.flatMap(({ name }) => [name, orderKeysOf(name), searchKeysOf(name)])) {
    const path = `${uid}/${textsPath}/${name}`;
    if (table.has(`${path}/codes`)) comparedTexts.set(name, attachColumn(table, path, 'string'));
  }
  const links = new Map<string, AdjacencyPair>();
  const polymorphic = new Map<string, PolymorphicAdjacency>();
  for (const { name } of type.attributes.values()) {
    const pair = attachPair(table, `${uid}/links/${name}`);
    if (pair) links.set(name, pair);
    const path = `${uid}/polymorphic/${name}`;
    if (table.has(`${path}/collections`)) polymorphic.set(name, attachPolymorphic(table, path));
  }
  const rows = (name: string) => new BitSet(rowCount, table.uint32(`${uid}/${name}`));
  const names = scalars.map(({ name }) => name);
  return Object.freeze({
    type,
    number,
    rowCount,
    greatestId: table.hasNumber(`${uid}/greatestId`) ? table.number(`${uid}/greatestId`) : lastId(columns),
    columns,
    jsonRows: attachJsonRows(table, `${uid}/jsonRows`, names),
    comparedTexts,
    links,
    polymorphic,
    versions: attachPair(table, `${uid}/versions`),
    loadOrder: table.has(`${uid}/loadOrder`) ? table.uint32(`${uid}/loadOrder`) : null,
    allRows: rows('allRows'),
    published: type.draftAndPublish ? rows('published') : null,
    drafts: type.draftAndPublish ? rows('drafts') : null,
  });
}

/** Returns the greatest id of the rows; 0 if there are none. */
function lastId(columns: Collection['columns']): number {
  return (columns.get('id')?.dictionary as NumberDictionary | undefined)?.values.at(-1) ?? 0;
}

function describePair(list: ArrayList, name: string, { forward, reverse }: AdjacencyPair): void {
  describeAdjacency(list, `${name}/forward`, forward);
  describeAdjacency(list, `${name}/reverse`, reverse);
}

function attachPair(table: ArrayTable, name: string): AdjacencyPair | null {
  if (!table.has(`${name}/forward/offsets`)) return null;
  return { forward: attachAdjacency(table, `${name}/forward`), reverse: attachAdjacency(table, `${name}/reverse`) };
}

function attachPolymorphic(table: ArrayTable, name: string): PolymorphicAdjacency {
  return {
    ...attachAdjacency(table, name),
    collections: table.uint16(`${name}/collections`),
    inversePositions: attachPositions(table, `${name}/inverse`),
    shownBy: table.has(`${name}/shownBy`) ? table.uint16(`${name}/shownBy`) : null,
  };
}

function describeAdjacency(list: ArrayList, name: string, adjacency: Adjacency): void {
  const { offsets, targets, topLinkCounts, positions } = adjacency;
  list.add(`${name}/offsets`, offsets);
  list.add(`${name}/targets`, targets);
  list.add(`${name}/topLinkCounts`, topLinkCounts);
  describePositions(list, name, positions);
}

function attachAdjacency(table: ArrayTable, name: string): Adjacency {
  return {
    offsets: table.uint32(`${name}/offsets`),
    targets: table.uint32(`${name}/targets`),
    topLinkCounts: table.uint32(`${name}/topLinkCounts`),
    positions: attachPositions(table, name),
    patch: null,
  };
}

function describePositions(list: ArrayList, name: string, positions: LinkPositions | null): void {
  if (positions?.values) list.add(`${name}/positions`, positions.values);
  else if (positions) {
    list.addNumber(`${name}/positions/first`, positions.first);
    list.addNumber(`${name}/positions/step`, positions.step);
  }
}

function attachPositions(table: ArrayTable, name: string): LinkPositions | null {
  if (table.has(`${name}/positions`)) {
    return { values: table.uint32OrFloat64(`${name}/positions`), first: 0, step: 0 };
  }
  if (!table.hasNumber(`${name}/positions/first`)) return null;
  return { values: null, first: table.number(`${name}/positions/first`), step: table.number(`${name}/positions/step`) };
}

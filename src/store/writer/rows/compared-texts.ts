import type { JsonTextForm, StorePolicy } from '../../../core/dialect.ts';
import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import { iota } from '../../../core/sets/row-set.ts';
import { collationOf } from '../../../model/collations/collation.ts';
import { comparedJsonText } from '../../../model/schema/compared-texts.ts';
import { type EntryType, type ScalarType, servedScalars } from '../../../model/schema/schema.ts';
import { comparisonKindOf } from '../../../model/schema/value-types.ts';
import { type Collection, orderKeysOf, searchKeysOf } from '../../collection.ts';
import type { Column } from '../../columns/column.ts';
import { Segment } from '../../segment.ts';
import { createStore, type Store } from '../../store.ts';
import { allocateAt, placeOf } from '../allocation-errors.ts';
import { type ColumnBuilder, columnBuilder } from '../columns/column-builder.ts';
import { hasVersionLinks, versionLinks } from '../links/document-links.ts';
import { TextColumnBuilder } from '../text/text-column-builder.ts';

type FinishedRows = Pick<Collection, 'rowCount' | 'columns' | 'jsonRows'>;

/** Whether queries may compare an attribute's JSON as text. Lists are only compared with null. */
export function isComparedAsJson(type: ScalarType): boolean {
  return comparisonKindOf(type) === 'presence' && type !== 'array';
}

/**
 * Adds the columns of texts that comparisons read in place of values and that a collection does not have yet, in the order
 * of attributes.
 */
export function addComparedTexts(
  entryType: EntryType,
  rows: FinishedRows & { readonly comparedTexts: Map<string, Column> },
  { jsonTexts, collation }: StorePolicy,
  allocator: Allocator,
): void {
  if (jsonTexts !== null) addJsonTexts(entryType, rows, jsonTexts, allocator);
  const keys = collation === null ? null : collationOf(collation).keys;
  if (!keys) return;
  for (const { name, type } of servedScalars(entryType)) {
    if (comparisonKindOf(type) !== 'text') continue;
    const values = rows.columns.get(name)!;
    const add = (path: string, key: (text: string) => string, isSearched: boolean) => {
      if (rows.comparedTexts.has(path)) return;
      const place = placeOf(entryType.uid, name);
      rows.comparedTexts.set(
        path,
        allocateAt(place, () => keyColumn(values, key, isSearched, new TextColumnBuilder(allocator, type, place))),
      );
    };
    add(orderKeysOf(name), (text) => keys.order(text), false);
    add(searchKeysOf(name), (text) => keys.search(text), true);
  }
}

function keyColumn(
  values: Column,
  key: (text: string) => string,
  isSearched: boolean,
  builder: TextColumnBuilder,
): Column {
  const add = builder.mapper(values, key);
  const rowCount = values.codes.length;
  for (let row = 0; row < rowCount; row++) add(row);
  return builder.finish(iota(rowCount), isSearched);
}

/**
 * The columns of JSON as text are read from the finished rows, because gathering them while rows are added raises the peak
 * of memory by 15 % (magazine of 100,000 entries).
 */
function addJsonTexts(
  entryType: EntryType,
  rows: FinishedRows & { readonly comparedTexts: Map<string, Column> },
  form: JsonTextForm,
  allocator: Allocator,
): void {
  for (const { name, type } of servedScalars(entryType)) {
    if (!isComparedAsJson(type)) continue;
    const place = placeOf(entryType.uid, name);
    const build = () => jsonTextColumn(rows, name, form, columnBuilder('string', allocator, place));
    const column = rows.comparedTexts.get(name) ?? allocateAt(place, build);
    // moves a column that is already there to its place
    rows.comparedTexts.delete(name);
    rows.comparedTexts.set(name, column);
  }
}

function jsonTextColumn(
  { columns, jsonRows, rowCount }: FinishedRows,
  name: string,
  form: JsonTextForm,
  builder: ColumnBuilder,
): Column {
  const { codes } = columns.get(name)!;
  for (let row = 0; row < rowCount; row++) {
    builder.push(codes[row] === 0 ? undefined : comparedJsonText(jsonRows.value(row, name), form));
  }
  return builder.finish(iota(rowCount));
}

/**
 * Returns the store with what queries of another dialect read besides columns, rows and relations, and without what
 * they do not read. `built` is the policy of the dialect that the store was built for. Null if the stored JSON is not the JSON that queries compare: that of `rewritten` attributes.
 */
export function deriveForDialect(
  store: Store,
  built: StorePolicy,
  policy: StorePolicy,
  rewritten: (collection: Collection, attribute: string) => boolean,
  allocator: Allocator = heapAllocator,
): Store | null {
  const collections: Collection[] = [];
  for (const collection of store.collections) {
    const derived = deriveCollection(collection, built, policy, rewritten, allocator);
    if (!derived) return null;
    collections.push(derived);
  }
  return createStore(
    store,
    collections.map((collection) => new Segment(collection)),
  );
}

function deriveCollection(
  collection: Collection,
  built: StorePolicy,
  policy: StorePolicy,
  rewritten: (collection: Collection, attribute: string) => boolean,
  allocator: Allocator,
): Collection | null {
  const { type, columns } = collection;
  const scalars = servedScalars(type);
  const kept = scalars.flatMap(({ name, type }) => {
    if (isComparedAsJson(type)) return policy.jsonTexts === built.jsonTexts ? [name] : [];
    return policy.collation === built.collation ? [orderKeysOf(name), searchKeysOf(name)] : [];
  });
  const comparedTexts = new Map(kept.flatMap((path) => mapEntry(path, collection.comparedTexts.get(path))));
  if (policy.jsonTexts !== null) {
    const isUnknown = (name: string) => !comparedTexts.has(name) && rewritten(collection, name);
    if (scalars.some(({ name, type }) => isComparedAsJson(type) && isUnknown(name))) return null;
  }
  addComparedTexts(type, { ...collection, comparedTexts }, policy, allocator);
  const needsVersions = hasVersionLinks(type, policy);
  const versions = needsVersions ? (collection.versions ?? versionLinks(columns.get('documentId')!, allocator)) : null;
  return Object.freeze({ ...collection, comparedTexts, versions });
}

function mapEntry<Value>(key: string, value: Value | undefined): [string, Value][] {
  return value === undefined ? [] : [[key, value]];
}

import type { JsonTextForm, StorePolicy } from '../../../core/dialect.ts';
import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import { iota } from '../../../core/sets/row-set.ts';
import { comparedJsonText } from '../../../model/schema/compared-texts.ts';
import { type EntryType, type ScalarType, servedScalars } from '../../../model/schema/schema.ts';
import { comparisonKindOf } from '../../../model/schema/value-types.ts';
import type { Collection } from '../../collection.ts';
import type { Column } from '../../columns/column.ts';
import { Segment } from '../../segment.ts';
import { createStore, type Store } from '../../store.ts';
import { allocateAt, placeOf } from '../allocation-errors.ts';
import { type ColumnBuilder, columnBuilder } from '../columns/column-builder.ts';
import { hasVersionLinks, versionLinks } from '../links/document-links.ts';

type FinishedRows = Pick<Collection, 'rowCount' | 'columns' | 'jsonRows'>;

/** Whether queries may compare an attribute's JSON as text. Lists are only compared with null. */
export function isComparedAsJson(type: ScalarType): boolean {
  return comparisonKindOf(type) === 'presence' && type !== 'array';
}

/**
 * Adds the columns of JSON as text that a collection does not have yet, in the order of attributes. They are read from
 * the finished rows, because gathering them while rows are added raises the peak of memory by 15 % (magazine of 100,000
 * entries).
 */
export function addJsonTexts(
  entryType: EntryType,
  rows: FinishedRows & { readonly jsonTexts: Map<string, Column> },
  form: JsonTextForm,
  allocator: Allocator,
): void {
  for (const { name, type } of servedScalars(entryType)) {
    if (!isComparedAsJson(type)) continue;
    const place = placeOf(entryType.uid, name);
    const build = () => jsonTextColumn(rows, name, form, columnBuilder('string', allocator, place));
    const column = rows.jsonTexts.get(name) ?? allocateAt(place, build);
    // moves a column that is already there to its place
    rows.jsonTexts.delete(name);
    rows.jsonTexts.set(name, column);
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
  const jsonTexts = new Map(policy.jsonTexts === built.jsonTexts ? collection.jsonTexts : []);
  if (policy.jsonTexts !== null) {
    const scalars = servedScalars(type);
    const isUnknown = (name: string) => !jsonTexts.has(name) && rewritten(collection, name);
    if (scalars.some(({ name, type }) => isComparedAsJson(type) && isUnknown(name))) return null;
    addJsonTexts(type, { ...collection, jsonTexts }, policy.jsonTexts, allocator);
  }
  const needsVersions = hasVersionLinks(type, policy);
  const versions = needsVersions ? (collection.versions ?? versionLinks(columns.get('documentId')!, allocator)) : null;
  return Object.freeze({ ...collection, jsonTexts, versions });
}

/** What both kinds of snapshots do before and after their entries are read: a builder, and checks of the finished store. */
import type { Dialect } from '../core/dialect.ts';
import { type Problems, preview } from '../core/problems.ts';
import {
  type Attribute,
  type EntryType,
  isRelation,
  type RelationAttribute,
  type Schema,
} from '../model/schema/schema.ts';
import { attributeOf, type Collection } from '../store/collection.ts';
import { collectionOf, type Store } from '../store/store.ts';
import { mediaRewrites, textRewrite } from '../store/writer/rows/media-urls.ts';
import { StoreBuilder } from '../store/writer/store-builder.ts';
import type { StoreOptions } from '../store/writer/store-options.ts';
import { indexTexts } from '../store/writer/text/index-texts.ts';
import type { LoadOptions } from './loaded.ts';

/** Returns a builder for the options of a load. `options` are those of the kind of snapshot. */
export function storeBuilderFor(
  schema: Schema,
  problems: Problems,
  dialect: Dialect,
  loadOptions: LoadOptions,
  options: Pick<StoreOptions, 'duplicateHint' | 'linksLocalizations' | 'gathersJsonTexts'> = {},
): StoreBuilder {
  return new StoreBuilder(schema, problems, { ...options, ...storeOptionsFor(dialect, loadOptions) });
}

/** Returns what the options of a load say about every row. */
export function storeOptionsFor({ derived }: Dialect, { allocator, ...addresses }: LoadOptions): StoreOptions {
  const { mediaUrl } = addresses;
  const rewrites = mediaUrl === undefined ? undefined : mediaRewrites(mediaUrl);
  return { derived, allocator, mediaRewrites: rewrites, textRewrite: textRewrite(addresses) };
}

/** Returns the finished store. Throws a SnapshotError if there is a problem in any entry or between entries. */
export function finishStore(
  builder: StoreBuilder,
  defaultLocale: string,
  problems: Problems,
  options: LoadOptions,
): Store {
  problems.throwIfAny();
  const store = builder.finish(defaultLocale);
  checkContent(store, problems);
  problems.throwIfAny();
  indexSearched(store, options);
  return store;
}

/** Builds the search indexes that the options of a load name, as far as the store lacks them. */
export function indexSearched(store: Store, { search = [], allocator }: LoadOptions): void {
  if (search.length === 0) return;
  const named = new Set(search);
  const isWanted = (uid: string, name: string) => named.has('*') || named.has(`${uid}.${attributeOf(name)}`);
  indexTexts(store, isWanted, allocator);
}

/** Reports single types with several documents, and one-to-one relations with several owners of one target. */
function checkContent(store: Store, problems: Problems): void {
  for (const collection of store.collections) {
    const { type } = collection;
    if (type.kind === 'singleType') checkSingleType(collection, problems);
    if (type.kind === 'component') continue;
    for (const attribute of type.attributes.values()) {
      if (!isOneToOne(store.schema, attribute)) continue;
      checkOneToOne(collection, collectionOf(store, attribute.target), attribute, problems);
    }
  }
}

/** Whether an attribute is the public owning side of a one-to-one relation with two sides. */
export function isOneToOne(schema: Schema, attribute: Attribute): attribute is RelationAttribute {
  if (!isRelation(attribute) || attribute.private || !attribute.owner || attribute.many) return false;
  const inverse = schema.types.get(attribute.target)?.attributes.get(attribute.inverse ?? '');
  return inverse !== undefined && isRelation(inverse) && !inverse.many;
}

function checkSingleType(collection: Collection, problems: Problems): void {
  const { size } = collection.columns.get('documentId')!.dictionary;
  if (size > 1) reportSeveralDocuments(collection.type, size, documentIdOf(collection, 0), problems);
}

/** `first` is the documentId that is served. */
export function reportSeveralDocuments({ uid }: EntryType, count: number, first: unknown, problems: Problems): void {
  const message = `the single type has ${count} documents instead of one; the first is ${preview(first)}`;
  problems.tolerate('several-documents', uid, message);
}

/** Reports that two documents link to a third one, given their documentIds. */
export function reportSeveralOwners(
  { uid }: EntryType,
  { name }: RelationAttribute,
  [first, other, target]: readonly [unknown, unknown, unknown],
  problems: Problems,
): void {
  const message = () => `${preview(first)} and ${preview(other)} both link to ${preview(target)}`;
  problems.tolerate('several-owners', `${uid}, attribute ${name}`, message);
}

function documentIdOf({ jsonRows }: Collection, row: number): unknown {
  return jsonRows.value(row, 'documentId');
}

/**
 * Reports targets with several owners. Versions of one document may share a target, as may versions that differ in
 * status or locale.
 */
function checkOneToOne(source: Collection, target: Collection, attribute: RelationAttribute, problems: Problems): void {
  const { offsets, targets: sources } = source.links.get(attribute.name)!.reverse;
  const documents = source.columns.get('documentId')!;
  const locales = source.columns.get('locale');
  const versionOf = (row: number) => `${source.published?.has(row)} ${locales?.codes[row]}`;
  for (let row = 0; row < target.rowCount; row++) {
    for (let i = offsets[row] + 1; i < offsets[row + 1]; i++) {
      const [first, other] = [sources[offsets[row]], sources[i]];
      if (documents.codes[first] === documents.codes[other] || versionOf(first) !== versionOf(other)) continue;
      const ids = [documentIdOf(source, first), documentIdOf(source, other), documentIdOf(target, row)] as const;
      reportSeveralOwners(source.type, attribute, ids, problems);
    }
  }
}

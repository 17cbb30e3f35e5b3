/** Checks on a finished store that need more than one entry. */
import { type Problems, preview } from '../core/problems.ts';
import {
  type Attribute,
  type EntryType,
  isRelation,
  type RelationAttribute,
  type Schema,
} from '../model/schema/schema.ts';
import type { Collection } from '../store/collection.ts';
import { collectionOf, type Store } from '../store/store.ts';

/** Reports single types with several documents, and one-to-one relations with several owners of one target. */
export function checkContent(store: Store, problems: Problems): void {
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

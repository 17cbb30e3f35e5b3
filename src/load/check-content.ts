/** Checks on a finished store that need more than one entry. */
import { type Problems, preview } from '../base/problems.ts';
import { isRelation, type RelationAttribute } from '../model/schema.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';

/** Reports single types with several documents, and one-to-one relations with several owners of one target. */
export function checkContent(store: Store, problems: Problems): void {
  for (const collection of store.collections) {
    const { type } = collection;
    if (type.kind === 'singleType') checkSingleType(collection, problems);
    if (type.kind === 'component') continue;
    for (const attribute of type.attributes.values()) {
      if (!isRelation(attribute) || attribute.private || !attribute.owner || attribute.many) continue;
      const target = store.byUid.get(attribute.target);
      const inverse = attribute.inverse === null ? undefined : target?.type.attributes.get(attribute.inverse);
      if (target && inverse && isRelation(inverse) && !inverse.many) {
        checkOneToOne(collection, target, attribute, problems);
      }
    }
  }
}

function checkSingleType(collection: Collection, problems: Problems): void {
  const { size } = collection.columns.get('documentId')!.dictionary;
  if (size <= 1) return;
  const message = `the single type has ${size} documents instead of one; the first is ${documentIdOf(collection, 0)}`;
  problems.tolerate('several-documents', collection.type.uid, message);
}

function documentIdOf({ jsonRows }: Collection, row: number): string {
  return preview(jsonRows.value(row, 'documentId'));
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
      const message = () =>
        `${documentIdOf(source, first)} and ${documentIdOf(source, other)} both link to ${documentIdOf(target, row)}`;
      problems.tolerate('several-owners', `${source.type.uid}, attribute ${attribute.name}`, message);
    }
  }
}

/** Reads the links and components of a store in the form in which a batch has them. */

import {
  type EntryType,
  isLocalizations,
  isScalar,
  type LinkAttribute,
  type Schema,
} from '../../model/schema/schema.ts';
import { targetsOf } from '../../store/links/adjacency.ts';
import { readNumber } from '../../store/read-value.ts';
import { rowOfId, type Segment } from '../../store/segment.ts';
import { collectionOf, type Store, segmentOf } from '../../store/store.ts';
import { type OwningAttribute, ownedLinks, owningAttribute, ownLinksOf } from '../../store/writer/links/owned-links.ts';
import { inverseNameOf } from '../../store/writer/links/shown-by.ts';
import type { LinkTarget } from './batch.ts';

/** Whether the store holds links of an attribute that come from its own side. */
export function ownsLinks(store: Store, uid: string, attribute: LinkAttribute): boolean {
  // localizations are links only in the content of Strapi 4
  return isLocalizations(attribute) ? owningOf(store, uid, attribute) !== null : attribute.owner;
}

/** The links from a row in an owning attribute, in order. */
export function storedLinks(store: Store, { uid }: EntryType, attribute: LinkAttribute, row: number): LinkTarget[] {
  const owning = owningOf(store, uid, attribute);
  if (!owning) return [];
  return ownLinksOf(owning, row).map(({ collection, row: target, position, inversePosition, shownBy }) => {
    const segment = store.segments[collection];
    const { type } = segment.collection;
    const inverse = inverseNameOf(type, shownBy);
    const link = { type: type.uid, id: idOfRow(segment, target), position, inversePosition };
    return inverse === undefined ? link : { ...link, inverse };
  });
}

/**
 * Returns `storedLinks` for all rows of a store without changes. Takes a time that grows with its links alone, where
 * reading single rows looks through the lists of their targets.
 */
export function storedLinksInBulk(
  store: Store,
): (type: EntryType, attribute: LinkAttribute, row: number) => LinkTarget[] {
  const owned = new Map(ownedLinks(store).map((each) => [`${each.collection.type.uid} ${each.attribute}`, each]));
  return ({ uid }, { name }, row) => {
    const found = owned.get(`${uid} ${name}`);
    if (!found) return [];
    const { offsets, targets } = found.links;
    return Array.from({ length: offsets[row + 1] - offsets[row] }, (_, i) => {
      const link = offsets[row] + i;
      const segment = store.segments[found.targetCollection(link)];
      const { type } = segment.collection;
      const inverse = inverseNameOf(type, found.shownBy(link));
      return {
        type: type.uid,
        id: idOfRow(segment, targets[link]),
        position: found.position(link, i),
        inversePosition: found.inversePosition(link, i),
        ...(inverse !== undefined && { inverse }),
      };
    });
  };
}

/** The rows that link to a row in an owning attribute with one target type, in order. */
export function storedSources(store: Store, uid: string, attribute: LinkAttribute, target: number): Uint32Array {
  const inverse = owningOf(store, uid, attribute)?.inverse;
  return inverse ? targetsOf(inverse.links, target) : new Uint32Array(0);
}

export function idOfRow(segment: Segment, row: number): number {
  return readNumber(segment, row, 'id')!;
}

/** Whether two lists hold the same links. */
export function areSameLinks(links: readonly LinkTarget[], others: readonly LinkTarget[]): boolean {
  return (
    links.length === others.length &&
    links.every((link, i) => {
      const other = others[i];
      return (
        link.type === other.type &&
        link.id === other.id &&
        link.position === other.position &&
        link.inversePosition === other.inversePosition &&
        link.inverse === other.inverse
      );
    })
  );
}

function owningOf(store: Store, uid: string, attribute: LinkAttribute): OwningAttribute | null {
  return owningAttribute(store, collectionOf(store, uid), attribute);
}

/** Returns the attributes of a type that hold components. */
export function componentAttributes(schema: Schema, type: EntryType): LinkAttribute[] {
  return linkAttributes(schema, type).filter(({ kind }) => kind === 'component' || kind === 'dynamiczone');
}

/** Returns the owning attributes of a type that hold links to entries. */
export function relationAttributes(schema: Schema, type: EntryType): LinkAttribute[] {
  return linkAttributes(schema, type).filter(({ kind }) => kind !== 'component' && kind !== 'dynamiczone');
}

function linkAttributes(schema: Schema, { attributes }: EntryType): LinkAttribute[] {
  return [...attributes.values()].filter(
    (attribute): attribute is LinkAttribute => !isScalar(attribute) && attribute.owner && schema.storesLinks(attribute),
  );
}

/** Returns the components of a row and, recursively, theirs. */
export function* storedComponents(store: Store, type: EntryType, row: number): Generator<LinkTarget> {
  for (const attribute of componentAttributes(store.schema, type)) {
    for (const component of storedLinks(store, type, attribute, row)) {
      yield component;
      const componentRow = rowOfId(segmentOf(store, component.type), component.id);
      if (componentRow === undefined) continue;
      yield* storedComponents(store, store.schema.type(component.type), componentRow);
    }
  }
}

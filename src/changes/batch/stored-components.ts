import { type EntryType, isScalar, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import { rowOfId } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import type { LinkTarget } from './batch.ts';
import { storedLinks } from './stored-links.ts';

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

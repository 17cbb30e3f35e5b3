/** Operations on populated attributes. */
import {
  type EntryType,
  isLocalizations,
  isScalar,
  type LinkAttribute,
  type RelationAttribute,
} from '../../../model/schema/schema.ts';
import type { Populated, RelatedSelection } from '../../bound.ts';
import { optionsNode } from '../../syntax/populate-nodes.ts';

/** The options of an attribute that is populated without any. */
export const noOptions = optionsNode({}, { path: null, keyPath: null, typePath: null, url: '' });

/** Returns the attributes that can be populated. */
export function populatable(type: EntryType): LinkAttribute[] {
  return Array.from(type.attributes.values()).filter(
    (attribute): attribute is LinkAttribute => !isScalar(attribute) && !attribute.private,
  );
}

/** Sorts populated attributes by the order of the schema. */
export function inSchemaOrder(type: EntryType, bound: readonly (Populated | null)[]): Populated[] {
  const order = Array.from(type.attributes.keys());
  return bound
    .filter((populated) => populated !== null)
    .sort((a, b) => order.indexOf(a.attribute) - order.indexOf(b.attribute));
}

/** Returns an attribute populated without options of its own. */
export function populated(attribute: LinkAttribute, targets: Record<string, RelatedSelection>): Populated {
  return { attribute: attribute.name, count: false, wrapped: false, sort: null, targets };
}

/** Returns the same with rows of the requested status only. */
export function withRequestedStatus(original: Populated): Populated {
  const targets = Object.entries(original.targets).map(([uid, selection]) => [
    uid,
    { ...selection, everyStatus: false },
  ]);
  return { ...original, targets: Object.fromEntries(targets) };
}

/**
 * Returns whether related rows can be counted. Media, localizations and inverses of polymorphic relations are served.
 */
export function isCountable(attribute: RelationAttribute): boolean {
  return attribute.kind !== 'media' && !attribute.fromPolymorphic && !isLocalizations(attribute);
}

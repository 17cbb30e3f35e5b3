/** How the rows at both ends of a relation list their links. */
import { isRelation, isScalar, localeType, roleType, type Schema } from '../../../model/schema/schema.ts';
import { hasPlainRoute } from '../rest-types.ts';

/** The two sides of a relation that both list their links. */
export interface RelationSides {
  /** The type and attribute that own the links. */
  readonly owner: string;
  readonly attribute: string;
  /** The attribute of the other type. */
  readonly inverse: string;
}

/** Returns the sides of a relation by its owning attribute. Returns null if only one side lists its links. */
export function sidesOf(schema: Schema, owner: string, attribute: string): RelationSides | null {
  const owning = schema.types.get(owner)?.attributes.get(attribute);
  if (!owning || isScalar(owning) || !isRelation(owning) || owning.inverse === null) return null;
  // replies show neither roles nor locales with the rows that link to them
  if (owning.target === roleType || owning.target === localeType) return null;
  const inverse = schema.types.get(owning.target)?.attributes.get(owning.inverse);
  if (!inverse || isScalar(inverse) || inverse.private || (isRelation(inverse) && inverse.unconnected)) return null;
  return { owner, attribute, inverse: owning.inverse };
}

/** Returns the relations whose links a type lists without owning them. */
export function inverseSidesOf(schema: Schema, type: string): RelationSides[] {
  const attributes = schema.types.get(type)?.attributes.values() ?? [];
  return Array.from(attributes).flatMap((attribute) => {
    if (isScalar(attribute) || !isRelation(attribute) || attribute.owner || attribute.inverse === null) return [];
    const sides = sidesOf(schema, attribute.target, attribute.inverse);
    return sides && sides.inverse === attribute.name ? [sides] : [];
  });
}

/**
 * Returns the attribute of a target type that shows the links of a polymorphic list, or an empty string. A link that an
 * editor makes from the other side may not be shown by it, which only the target tells.
 */
export function inverseNameOf(schema: Schema, owner: string, attribute: string, target: string): string {
  for (const inverse of schema.types.get(target)?.attributes.values() ?? []) {
    if (isScalar(inverse) || !isRelation(inverse) || !inverse.fromPolymorphic) continue;
    if (inverse.target === owner && inverse.inverse === attribute) return inverse.name;
  }
  return '';
}

/** Whether a row is published. Types without drafts have published rows only. */
export type IsPublished = (id: number) => boolean;

/**
 * Returns the position of each item of a list, from 1. `holder` is the content type of the entry that has the list, itself
 * or in a component. Entries of a type without drafts list published and draft rows, which the API shows in lists of their
 * own, except for users.
 */
export function placesIn(schema: Schema, holder: string, ids: readonly number[], isPublished: IsPublished): number[] {
  if (isOneList(schema, holder)) return ids.map((_, i) => i + 1);
  let [published, drafts] = [0, 0];
  return ids.map((id) => (isPublished(id) ? ++published : ++drafts));
}

/** Returns the items of a list in the order of their positions, and of their ids at equal positions. */
export function inPlaceOrder<T extends { readonly id: number }>(
  schema: Schema,
  holder: string,
  items: readonly T[],
  isPublished: IsPublished,
): readonly T[] {
  if (items.length < 2 || isOneList(schema, holder)) return items;
  const ids = items.map(({ id }) => id);
  const places = placesIn(schema, holder, ids, isPublished);
  const order = Array.from(items.keys()).sort((a, b) => places[a] - places[b] || ids[a] - ids[b]);
  return order.map((i) => items[i]);
}

function isOneList(schema: Schema, holder: string): boolean {
  return schema.types.get(holder)?.draftAndPublish === true || hasPlainRoute(holder);
}

/** Where a store has the links of each owning attribute. Follows from the schema. */
import {
  type Attribute,
  isLocalizations,
  isPolymorphic,
  isRelation,
  type PolymorphicAttribute,
  type RelationAttribute,
  type Schema,
} from '../../../model/schema/schema.ts';
import { inverseNumberOf } from './shown-by.ts';

/** A pair in `Collection.links`. */
export interface PairSlot {
  /** The number of the collection, and the name of its attribute. */
  readonly collection: number;
  readonly attribute: string;
  /** Whether `forward` leads from the targets of the owning attribute to its sources. */
  readonly isInverse: boolean;
}

/** An owning attribute with one target type. */
export interface RelationLayout {
  readonly kind: 'relation' | 'media' | 'localizations';
  readonly source: number;
  readonly attribute: string;
  readonly target: number;
  /** The sides that are stored, the first with the same pair as all others. Not empty. */
  readonly slots: readonly PairSlot[];
}

/** An owning attribute with several target types. */
export interface PolymorphicLayout {
  readonly kind: 'polymorphic';
  readonly source: number;
  readonly attribute: string;
  /** The numbers of the collections of a dynamic zone; null: all. */
  readonly targets: ReadonlySet<number> | null;
  /** The inverse attributes, each with a pair of its own, and their numbers in `PolymorphicAdjacency.shownBy`. */
  readonly inverses: readonly { readonly slot: PairSlot; readonly number: number }[];
}

export interface LinkLayout {
  readonly relations: readonly (RelationLayout | PolymorphicLayout)[];
  /** By collection number: the relations that lead from its rows, or may lead to them. */
  readonly ofCollection: readonly (readonly (RelationLayout | PolymorphicLayout)[])[];
  /** The media attributes whose files show where they are used, in the order of types and attributes. */
  readonly media: readonly RelationLayout[];
  /** By collection number: the polymorphic attributes that show the uses of files. */
  readonly uses: readonly (readonly string[])[];
  /** By collection number: whether the type has localizations. They are stored links, or follow from documents. */
  readonly localizations: readonly boolean[];
}

const known = new WeakMap<Schema, LinkLayout>();

/** Returns the layout of the stores of a schema, which is kept as long as the schema. */
export function linkLayoutOf(schema: Schema): LinkLayout {
  let layout = known.get(schema);
  if (!layout) known.set(schema, (layout = createLayout(schema)));
  return layout;
}

function createLayout(schema: Schema): LinkLayout {
  const types = [...schema.types.values()];
  const numbers = new Map(types.map(({ uid }, number) => [uid, number]));
  const inverses = inverseSlots(schema, numbers);
  const each = <Found>(find: (attribute: Attribute, source: number) => Found | null): Found[] =>
    types.flatMap(({ attributes }, source) =>
      Array.from(attributes.values()).flatMap((attribute) => find(attribute, source) ?? []),
    );
  const relations = each((attribute, source) => {
    const slots = inverses.get(`${source} ${attribute.name}`) ?? [];
    if (isPolymorphic(attribute)) return polymorphicLayout(schema, attribute, source, slots, numbers);
    return isRelation(attribute) ? relationLayout(attribute, source, slots, numbers) : null;
  });
  const ofCollection = types.map((_, number) => relations.filter((relation) => concerns(relation, number)));
  const media = relations.filter(
    (one): one is RelationLayout => one.kind === 'media' && !types[one.source].attributes.get(one.attribute)!.private,
  );
  const uses = types.map(({ attributes }) =>
    Array.from(attributes.values()).flatMap((one) => (isPolymorphic(one) && !one.owner ? one.name : [])),
  );
  const localizations = types.map(({ attributes }) => {
    const attribute = attributes.get('localizations');
    return attribute !== undefined && isShown(attribute) && isLocalizations(attribute);
  });
  return { relations, ofCollection, media, uses, localizations };
}

/** Returns the inverse sides of each owning attribute, by the number of its type and its name. */
function inverseSlots(schema: Schema, numbers: ReadonlyMap<string, number>): Map<string, PairSlot[]> {
  const slots = new Map<string, PairSlot[]>();
  for (const [uid, { attributes }] of schema.types) {
    for (const attribute of attributes.values()) {
      if (!isRelation(attribute) || !isShown(attribute) || attribute.owner || isLocalizations(attribute)) continue;
      const key = `${numbers.get(attribute.target)} ${attribute.inverse}`;
      const slot = { collection: numbers.get(uid)!, attribute: attribute.name, isInverse: true };
      slots.set(key, [...(slots.get(key) ?? []), slot]);
    }
  }
  return slots;
}

function isShown(attribute: Attribute): boolean {
  return !attribute.private && !(isRelation(attribute) && attribute.unconnected);
}

function relationLayout(
  attribute: RelationAttribute,
  source: number,
  inverses: readonly PairSlot[],
  numbers: ReadonlyMap<string, number>,
): RelationLayout | null {
  const { name, target: uid } = attribute;
  const own = { collection: source, attribute: name, isInverse: false };
  const slots = isShown(attribute) ? [own, ...inverses] : inverses;
  const target = numbers.get(uid);
  if (slots.length === 0 || target === undefined) return null;
  if (isLocalizations(attribute)) return { kind: 'localizations', source, attribute: name, target, slots };
  if (!attribute.owner) return null;
  return { kind: attribute.kind === 'media' ? 'media' : 'relation', source, attribute: name, target, slots };
}

function polymorphicLayout(
  schema: Schema,
  attribute: PolymorphicAttribute,
  source: number,
  slots: readonly PairSlot[],
  numbers: ReadonlyMap<string, number>,
): PolymorphicLayout | null {
  const { name, components } = attribute;
  if (!attribute.owner || (attribute.private && !schema.storesLinks(attribute))) return null;
  const types = [...schema.types.values()];
  const inverses = slots.map((slot) => ({ slot, number: inverseNumberOf(types[slot.collection], slot.attribute) }));
  const targets = components && new Set(components.flatMap((uid) => numbers.get(uid) ?? []));
  return { kind: 'polymorphic', source, attribute: name, targets, inverses };
}

function concerns(relation: RelationLayout | PolymorphicLayout, number: number): boolean {
  if (relation.source === number) return true;
  if (relation.kind !== 'polymorphic') return relation.target === number;
  const { targets, inverses } = relation;
  return !targets || targets.has(number) || inverses.some(({ slot }) => slot.collection === number);
}

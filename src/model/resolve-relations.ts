/** Checks that what the attributes of a schema lead to is there, and decides what becomes of those that lead nowhere. */
import type { Problems } from '../base/problems.ts';
import { didYouMean } from '../base/suggest.ts';
import {
  type Attribute,
  type EntryType,
  isPolymorphic,
  isRelation,
  isScalar,
  type LinkAttribute,
  type PolymorphicAttribute,
  type RelationAttribute,
} from './schema.ts';

/** Which kind of relation the other side of each kind is. */
const otherSides: Record<string, string> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
};

export interface ResolveOptions {
  /** The kind of relation that a definition gives, such as `oneToMany`. */
  relationOf(uid: string, attribute: string): unknown;
  /** Whether a definition gives an attribute a type that does not exist, which has been noted. */
  isOfUnknownType(uid: string, attribute: string): boolean;
  /** The place of a type, for messages. */
  placeOf(uid: string): string;
  /** Whether a relation shows from its far side only if its owner names that side as `inversedBy`, as in Strapi. */
  needsInversedBy: boolean;
}

/** The types with those attributes that lead to types that exist. Each of the others is noted. */
export function resolveTargets(types: readonly EntryType[], options: ResolveOptions, problems: Problems): EntryType[] {
  const byUid = new Map(types.map((type) => [type.uid, type]));
  return types.map((type) => {
    const attributes = new Map<string, Attribute>();
    for (const attribute of type.attributes.values()) {
      const at = `${options.placeOf(type.uid)}, attribute ${attribute.name}`;
      const resolved = resolve(attribute, type, byUid, options, (kind, what) => problems.tolerate(kind, at, what));
      if (resolved) attributes.set(attribute.name, resolved);
    }
    return { ...type, attributes };
  });
}

type Note = (kind: 'missing-type' | 'unconnected-relation' | 'relation-cardinality', what: string) => void;

function resolve(
  attribute: Attribute,
  type: EntryType,
  types: ReadonlyMap<string, EntryType>,
  options: ResolveOptions,
  note: Note,
): Attribute | null {
  // nobody can name a private attribute, so it may lead anywhere
  if (isScalar(attribute) || attribute.private) return attribute;
  if (isPolymorphic(attribute)) return resolveZone(attribute, types, note);
  const target = types.get(attribute.target);
  if (!target || (target.kind === 'component') !== (attribute.kind === 'component')) {
    if (attribute.target) note('missing-type', missing(attribute.target, types, attribute.kind === 'component'));
    return null;
  }
  return attribute.inverse === null ? attribute : resolveInverse(attribute, type, target, options, note);
}

function missing(uid: string, types: ReadonlyMap<string, EntryType>, isComponent: boolean): string {
  const known = Array.from(types.values()).filter(({ kind }) => (kind === 'component') === isComponent);
  const suggestion = didYouMean(
    uid,
    Array.from(known, (type) => type.uid),
  );
  return `${isComponent ? 'component' : 'type'} ${uid} is missing${suggestion}`;
}

function resolveZone(
  attribute: PolymorphicAttribute,
  types: ReadonlyMap<string, EntryType>,
  note: Note,
): PolymorphicAttribute {
  if (!attribute.components) return attribute;
  const components = attribute.components.filter((uid) => {
    const isThere = types.get(uid)?.kind === 'component';
    if (!isThere) note('missing-type', missing(uid, types, true));
    return isThere;
  });
  return { ...attribute, components };
}

function resolveInverse(
  attribute: RelationAttribute,
  { uid }: EntryType,
  target: EntryType,
  { relationOf, isOfUnknownType, needsInversedBy }: ResolveOptions,
  note: Note,
): RelationAttribute {
  const name = attribute.inverse!;
  const inverse = target.attributes.get(name);
  const leadsBack = (other: Attribute | undefined): other is LinkAttribute =>
    other !== undefined &&
    (attribute.fromPolymorphic ? isPolymorphic(other) : isRelation(other) && other.target === uid);
  if (!leadsBack(inverse)) {
    if (!isOfUnknownType(target.uid, name)) {
      const back = Array.from(target.attributes.values()).filter(leadsBack);
      const suggestion = didYouMean(
        name,
        Array.from(back, (other) => other.name),
      );
      note('unconnected-relation', `${target.uid} has no relation "${name}" that leads back${suggestion}`);
    }
    return attribute.owner ? { ...attribute, inverse: null } : { ...attribute, unconnected: true };
  }
  if (attribute.owner) return attribute;
  if (!inverse.owner) {
    note('unconnected-relation', `neither side of the relation owns it: one has to have no "mappedBy"`);
    return { ...attribute, unconnected: true };
  }
  if (isPolymorphic(inverse)) return attribute;
  if (needsInversedBy && inverse.inverse !== attribute.name) {
    note('unconnected-relation', `${target.uid}.${name} does not name "${attribute.name}" as its "inversedBy"`);
    return { ...attribute, unconnected: true };
  }
  const [own, other] = [relationOf(uid, attribute.name), relationOf(target.uid, name)];
  if (otherSides[own as string] !== other) {
    note('relation-cardinality', `is ${own}, but ${target.uid}.${name}, which it is mapped by, is ${other}`);
  }
  return attribute;
}

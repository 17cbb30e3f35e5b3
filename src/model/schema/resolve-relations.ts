/** Resolves the targets and inverse sides of attributes, and reports those that do not exist. */
import type { Problems } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
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

/** The inverse of each kind of relation. */
const inverseKinds: Record<string, string> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
};

interface ResolveOptions {
  /** Returns the kind of relation in a definition, such as `oneToMany`. */
  relationOf(uid: string, attribute: string): unknown;
  /** Whether the definition of an attribute has an unknown type. Such attributes are already reported. */
  isOfUnknownType(uid: string, attribute: string): boolean;
  /** Returns the location of a type, for messages. */
  locationOf(uid: string): string;
  /** Whether a type is missing because its definition is invalid, which has been reported. */
  isUnreadable(uid: string): boolean;
  /** Whether the inverse side needs the owner to name it as `inversedBy`, as in Strapi. */
  needsInversedBy: boolean;
}

/** Returns the types without the attributes whose target is missing. Reports each of those. */
export function resolveTargets(types: readonly EntryType[], options: ResolveOptions, problems: Problems): EntryType[] {
  const byUid = new Map(types.map((type) => [type.uid, type]));
  return types.map((type) => {
    const attributes = new Map<string, Attribute>();
    for (const attribute of type.attributes.values()) {
      const at = `${options.locationOf(type.uid)}, attribute ${attribute.name}`;
      const resolved = resolve(attribute, type, byUid, options, (kind, message) =>
        problems.tolerate(kind, at, message),
      );
      if (resolved) attributes.set(attribute.name, resolved);
    }
    return { ...type, attributes };
  });
}

type Report = (kind: 'missing-type' | 'unconnected-relation' | 'relation-cardinality', message: string) => void;

function resolve(
  attribute: Attribute,
  type: EntryType,
  types: ReadonlyMap<string, EntryType>,
  options: ResolveOptions,
  report: Report,
): Attribute | null {
  // private attributes are never served, so their targets need not exist
  if (isScalar(attribute) || attribute.private) return attribute;
  if (isPolymorphic(attribute)) return resolveZone(attribute, types, options, report);
  const target = types.get(attribute.target);
  if (!target || (target.kind === 'component') !== (attribute.kind === 'component')) {
    if (attribute.target && !options.isUnreadable(attribute.target)) {
      report('missing-type', missing(attribute.target, types, attribute.kind === 'component'));
    }
    return null;
  }
  return attribute.inverse === null ? attribute : resolveInverse(attribute, type, target, options, report);
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
  { isUnreadable }: ResolveOptions,
  report: Report,
): PolymorphicAttribute {
  if (!attribute.components) return attribute;
  const components = attribute.components.filter((uid) => {
    const exists = types.get(uid)?.kind === 'component';
    if (!exists && !isUnreadable(uid)) report('missing-type', missing(uid, types, true));
    return exists;
  });
  return { ...attribute, components };
}

function resolveInverse(
  attribute: RelationAttribute,
  { uid }: EntryType,
  target: EntryType,
  { relationOf, isOfUnknownType, needsInversedBy }: ResolveOptions,
  report: Report,
): RelationAttribute {
  const name = attribute.inverse!;
  const inverse = target.attributes.get(name);
  const isInverse = (other: Attribute | undefined): other is LinkAttribute =>
    other !== undefined &&
    (attribute.fromPolymorphic ? isPolymorphic(other) : isRelation(other) && other.target === uid);
  if (!isInverse(inverse)) {
    if (!isOfUnknownType(target.uid, name)) {
      const candidates = Array.from(target.attributes.values()).filter(isInverse);
      const suggestion = didYouMean(
        name,
        Array.from(candidates, (other) => other.name),
      );
      report('unconnected-relation', `${target.uid} has no relation "${name}" that targets ${uid}${suggestion}`);
    }
    return attribute.owner ? { ...attribute, inverse: null } : { ...attribute, unconnected: true };
  }
  if (attribute.owner) return attribute;
  if (!inverse.owner) {
    report('unconnected-relation', 'both sides of the relation have "mappedBy": remove it from the owning side');
    return { ...attribute, unconnected: true };
  }
  if (isPolymorphic(inverse)) return attribute;
  if (needsInversedBy && inverse.inverse !== attribute.name) {
    report('unconnected-relation', `${target.uid}.${name} needs "inversedBy": "${attribute.name}"`);
    return { ...attribute, unconnected: true };
  }
  const [own, other] = [relationOf(uid, attribute.name), relationOf(target.uid, name)];
  if (inverseKinds[own as string] !== other) {
    report('relation-cardinality', `the relation is ${own}, but its "mappedBy" ${target.uid}.${name} is ${other}`);
  }
  return attribute;
}

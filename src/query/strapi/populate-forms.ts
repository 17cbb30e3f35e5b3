/** The forms that `populate` may have, and small questions about what can be populated. */
import { ValidationError } from '../../base/errors.ts';
import {
  type EntryType,
  isLocalizations,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type RelationAttribute,
} from '../../model/schema.ts';
import { type Binding, mayFollow, mayRead, seesOf } from '../bind/binding.ts';
import type { Fragment, Populated } from '../bound.ts';
import type { PopulatePlace } from '../messages.ts';
import { childPath, type Part, type Path } from '../syntax/place.ts';
import { isPlainObject } from '../syntax/raw-value.ts';

/**
 * What stands before the attribute now being bound: `path` the attributes, `raw` the keys of the query, `from` the
 * attributes and the types that were chosen among, `written` the parameter as a URL writes it.
 */
export interface Place extends PopulatePlace {
  readonly from: Path;
}

/** The part of the query at a place, for messages about the names in it. */
export function partOf({ written, path }: Place): Part {
  return { param: 'populate', written, path };
}

/** What is populated, in the order of the schema. */
export function inOrder(type: EntryType, bound: readonly (Populated | null)[]): Populated[] {
  const order = Array.from(type.attributes.keys());
  return bound
    .filter((populated) => populated !== null)
    .sort((a, b) => order.indexOf(a.attribute) - order.indexOf(b.attribute));
}

/** Media and what is derived from elsewhere than the other side of a relation cannot be counted: they are populated. */
export function isCountable(attribute: RelationAttribute): boolean {
  return attribute.kind !== 'media' && !attribute.fromPolymorphic && !isLocalizations(attribute);
}

/**
 * In one dialect a polymorphic relation is not served with options other than `on`, `true` and a `count` in words;
 * nor are those looked at, but for `populate`.
 */
export function losesOptions({ dialect }: Binding, { kind }: LinkAttribute, options: unknown): boolean {
  if (kind !== 'polymorphic' || !dialect.losesPolymorphicWithFields || options === true || options === 'true')
    return false;
  if (!isPlainObject(options)) return true;
  return !isPlainObject(options.on) && options.count !== true && options.count !== 'true';
}

export function populatable(type: EntryType): LinkAttribute[] {
  return Array.from(type.attributes.values()).filter(
    (attribute): attribute is LinkAttribute => !isScalar(attribute) && !attribute.private,
  );
}

export function simple(attribute: LinkAttribute, targets: Record<string, Fragment>): Populated {
  return { attribute: attribute.name, count: false, wrapped: false, sort: null, targets };
}

/** The place of an attribute below another. */
export function below({ path, raw, from, written }: Place, name: string) {
  return {
    path: childPath(path, name),
    raw: childPath(raw, name),
    from: childPath(from, name),
    written: `${written}[${name}]`,
  } satisfies Place;
}

/** The place inside the `populate` of an attribute. */
export function inside(place: Place): Place {
  return { ...place, raw: childPath(place.raw, 'populate'), written: `${place.written}[populate]` };
}

/** Whether the attribute is the other side of a polymorphic relation to one. */
export function isPlainInverse({ schema }: Binding, attribute: LinkAttribute): boolean {
  if (isPolymorphic(attribute) || !attribute.fromPolymorphic || attribute.inverse === null) return false;
  const owner = schema.type(attribute.target).attributes.get(attribute.inverse);
  return owner?.kind === 'polymorphic' && !owner.many;
}

/** The place inside `on`, at one of the types that it names. */
export function fragmentOf(place: Place, uid: string): Place {
  const { raw, from, written } = place;
  return { ...place, raw: `${raw}.on[${uid}]`, from: childPath(from, uid), written: `${written}[on][${uid}]` };
}

export const optionNames = new Set(['fields', 'filters', 'sort', 'populate', 'count', 'on']);
/** `on` is refused later, with a reason of its own. */
export const relationOptionNames = [...optionNames].filter((name) => name !== 'on');
export const polymorphicOptionNames = new Set(['populate', 'count', 'on']);
export const fragmentOptionNames = new Set(['fields', 'filters', 'sort', 'populate']);

/** A type that the attribute never leads to is no mistake: nothing of it will be found. */
export function typeNamed(
  binding: Binding,
  uid: string,
  here: Place,
  attribute: LinkAttribute & { components?: readonly string[] | null },
): EntryType {
  const { schema, dialect, messages } = binding;
  const type = schema.types.get(uid);
  const { components } = attribute;
  // nothing is populated of a component that the zone does not hold
  if (type && !(dialect.refusesUnknown && components && !components.includes(uid))) return type;
  throw messages.typeName(here, uid, components ?? readableTypes(binding));
}

function readableTypes(binding: Binding): string[] {
  const types = Array.from(binding.schema.types.values()).filter((type) => type.kind !== 'component');
  return types.filter((type) => mayRead(binding, type)).map(({ uid }) => uid);
}

/**
 * A text in place of options can only be a star. In one dialect a star names the first attribute that the caller may
 * populate, which then is no option: only where there is none does it mean no options.
 */
export function plainOptions(
  binding: Binding,
  target: EntryType,
  value: unknown,
  place: Place,
): Record<string, unknown> {
  const { messages, dialect } = binding;
  if (value !== '*') throw messages.options(place, target, value, seesOf(binding));
  if (dialect.starPopulates) return { populate: '*' };
  const first = populatable(target).find((each) => isPolymorphic(each) || mayFollow(binding, each));
  if (!first) return {};
  const path = childPath(place.path, first.name);
  throw new ValidationError(`Invalid key ${first.name} at ${path}`, { key: first.name, path });
}

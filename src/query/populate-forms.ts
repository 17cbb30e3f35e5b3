/** The forms that `populate` may have, and small questions about what can be populated. */
import { invalidKey, ValidationError } from '../errors.ts';
import {
  type EntryType,
  isLocalizations,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type RelationAttribute,
} from '../schema/schema.ts';
import { isAttributeName } from './attribute-names.ts';
import { type Binding, join, mayFollow, type Path } from './binding.ts';
import type { Fragment, Populated } from './bound.ts';
import { readSwitch } from './cast.ts';
import { isGroup } from './raw-value.ts';

/**
 * What stands before the attribute now being bound: `path` the attributes, `raw` the keys of the query, `from` the
 * attributes and the types that were chosen among.
 */
export interface Place {
  readonly path: Path;
  readonly raw: Path;
  readonly from: Path;
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
  if (!isGroup(options)) return true;
  return !isGroup(options.on) && options.count !== true && options.count !== 'true';
}

export function populatable(type: EntryType): LinkAttribute[] {
  return Array.from(type.attributes.values()).filter(
    (attribute): attribute is LinkAttribute => !isScalar(attribute) && !attribute.private,
  );
}

export function simple(attribute: LinkAttribute, targets: Record<string, Fragment>): Populated {
  return { attribute: attribute.name, count: false, wrapped: false, sort: null, targets };
}

export function invalidNesting(type: EntryType, name: string, found: unknown): ValidationError {
  const text = typeof found === 'string' ? `"${found}"` : JSON.stringify(found);
  return new ValidationError(
    `Invalid nested populate for ${type.singularName}.${name} (${type.uid}). ` +
      `Expected a fragment ("on") or "count" but found ${text}`,
  );
}

/** The place of an attribute below another. */
export function below({ path, raw, from }: Place, name: string) {
  return { path: join(path, name), raw: join(raw, name), from: join(from, name) } satisfies Place;
}

/** The place inside the `populate` of an attribute. */
export function inside(place: Place): Place {
  return { ...place, raw: join(place.raw, 'populate') };
}

/** Whether the attribute is the other side of a polymorphic relation to one. */
export function isPlainInverse({ schema }: Binding, attribute: LinkAttribute): boolean {
  if (isPolymorphic(attribute) || !attribute.fromPolymorphic || attribute.inverse === null) return false;
  const owner = schema.type(attribute.target).attributes.get(attribute.inverse);
  return owner?.kind === 'polymorphic' && !owner.many;
}

/** The place inside `on`, at one of the types that it names. */
export function fragmentOf(place: Place, uid: string): Place {
  return { ...place, raw: `${place.raw}.on[${uid}]`, from: join(place.from, uid) };
}

export const optionNames = new Set(['fields', 'filters', 'sort', 'populate', 'count', 'on']);
export const polymorphicOptionNames = new Set(['populate', 'count', 'on']);
export const fragmentOptionNames = new Set(['fields', 'filters', 'sort', 'populate']);

/** A type that the attribute never leads to is no mistake: nothing of it will be found. */
export function typeNamed({ schema }: Binding, uid: string, here: Place): EntryType {
  const type = schema.types.get(uid);
  if (!type) throw invalidKey('populate', uid, `${here.raw}.on.${uid}`);
  return type;
}

/** A key that is no option of what is populated `at` a path: that of an attribute stands below it. */
export function invalidOption(target: EntryType, key: string, at: string): ValidationError {
  return invalidKey('populate', key, isAttributeName(target, key) ? join(at, key) : at);
}

export function invalidNested(): ValidationError {
  return new ValidationError("Invalid nested populate. Expected '*' or an object");
}

/**
 * A text in place of options can only be a star, and only where there is nothing that it could stand for, but for what
 * the caller may not read: the recorded service puts names in its place and then refuses the first of them. So it does
 * with other texts, and with lists.
 */
export function plainOptions(binding: Binding, target: EntryType, value: unknown, at: string): Record<string, never> {
  if (value !== '*') throw invalidNames(target, value, at);
  const first = populatable(target).find((each) => isPolymorphic(each) || mayFollow(binding, each));
  if (!first) return {};
  const path = join(at, first.name);
  throw new ValidationError(`Invalid key ${first.name} at ${path}`, { key: first.name, path });
}

/** What is wrong with a text or a list that stands in place of options: the first name in it that is no switch. */
function invalidNames(target: EntryType, value: unknown, at: string): ValidationError {
  const list = [value].flat();
  // a list that holds more than texts is taken for an object, by its numbers
  const texts = list.every((item) => typeof item === 'string') ? list : Object.keys(list);
  const wrong = texts.map((text) => text.split('.')[0]).find((name) => readSwitch(name) === null);
  return wrong === undefined ? invalidNested() : invalidOption(target, wrong, at);
}

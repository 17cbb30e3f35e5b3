/** The forms that `populate` may have, and small questions about what can be populated. */
import { invalidKey, ValidationError } from '../errors.ts';
import {
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type RelationAttribute,
} from '../schema/schema.ts';
import { type Binding, checkDepth, join, mayFollow, type Path } from './binding.ts';
import type { Fragment, Populated } from './bound.ts';

/** What stands before the attribute now being bound: `path` inside this `populate`, `from` since the root. */
export interface Place {
  readonly path: Path;
  readonly from: Path;
}

/** What is populated, in the order of the schema. */
export function inOrder(type: EntryType, bound: readonly (Populated | null)[]): Populated[] {
  const order = Array.from(type.attributes.keys());
  return bound
    .filter((populated) => populated !== null)
    .sort((a, b) => order.indexOf(a.attribute) - order.indexOf(b.attribute));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The paths of a text or a list. Below the root a text is one path, commas and all, where the dialect has it so. */
export function populateList(binding: Binding, value: unknown, { path: at }: Place): string[] {
  const list = Array.isArray(value) ? value : [value];
  if (!list.every((item) => typeof item === 'string')) {
    throw new ValidationError('Invalid populate parameter. Expected a string, an array of strings, a populate object');
  }
  if (at !== null && !binding.dialect.splitsNestedPopulate) {
    const joined = list.flatMap((item) => item.split('.')).find((name) => name.includes(','));
    if (joined !== undefined) throw invalidKey('populate', joined, at);
  }
  const paths = list
    .flatMap((item) => item.split(','))
    .map((path) => path.trim())
    .filter((path) => path !== '');
  for (const path of paths) checkDepth('populate', path.split('.').length);
  return paths;
}

/** Media and what is derived from elsewhere than the other side of a relation cannot be counted: they are populated. */
export function isCountable({ kind, name, fromPolymorphic }: RelationAttribute): boolean {
  return kind !== 'media' && !fromPolymorphic && name !== 'localizations';
}

/** A polymorphic relation that is populated with options other than `on` is not served at all, in one dialect. */
export function losesOptions({ dialect }: Binding, { kind }: LinkAttribute): boolean {
  return kind === 'polymorphic' && dialect.losesPolymorphicWithFields;
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

/** Whether all that a path leads through may be read. */
export function isReadablePath(binding: Binding, attribute: LinkAttribute, rest: string[]): boolean {
  if (isPolymorphic(attribute) || rest.length === 0) return true;
  if (!mayFollow(binding, attribute)) return false;
  const next = binding.schema.type(attribute.target).attributes.get(rest[0]);
  // what does not exist or is private is refused when the path is followed
  if (!next || next.private || isScalar(next) || isPolymorphic(next)) return true;
  return mayFollow(binding, next) && isReadablePath(binding, next, rest.slice(1));
}

/** The place of an attribute below another. */
export function below({ path, from }: Place, name: string): Place {
  return { path: join(path, name), from: join(from, name) };
}

/** Whether the attribute is the other side of a polymorphic relation to one. */
export function isPlainInverse({ schema }: Binding, attribute: LinkAttribute): boolean {
  if (isPolymorphic(attribute) || !attribute.fromPolymorphic || attribute.inverse === null) return false;
  const owner = schema.type(attribute.target).attributes.get(attribute.inverse);
  return owner?.kind === 'polymorphic' && !owner.many;
}

/** A value of a query in a message: as it is if it is plain. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
}

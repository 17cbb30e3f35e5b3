import type { Attribute, EntryType } from '../../model/schema/schema.ts';
import type { AttributeChange, TypeDifference, ValueChange } from './differences.ts';

type Types = ReadonlyMap<string, EntryType>;

const properties = ['kind', 'singularName', 'pluralName', 'draftAndPublish', 'localized'] as const;

/** Returns the content types and components that differ, by uid. */
export function compareTypes(before: Types, after: Types): TypeDifference[] {
  const uids = Array.from(new Set([...before.keys(), ...after.keys()])).sort();
  return uids.flatMap((uid) => compareType(uid, before.get(uid), after.get(uid)) ?? []);
}

function compareType(type: string, before?: EntryType, after?: EntryType): TypeDifference | null {
  if (!before || !after) {
    return { type, kind: before ? 'removed' : 'added', properties: [], attributes: [], isReordered: false };
  }
  const changed = properties
    .filter((name) => before[name] !== after[name])
    .map((path): ValueChange => ({ path, kind: 'value', before: before[path], after: after[path] }));
  const attributes = compareAttributes(before.attributes, after.attributes);
  const isReordered = orderOf(before, after) !== orderOf(after, before);
  if (changed.length === 0 && attributes.length === 0 && !isReordered) return null;
  return { type, kind: 'changed', properties: changed, attributes, isReordered };
}

function compareAttributes(
  before: ReadonlyMap<string, Attribute>,
  after: ReadonlyMap<string, Attribute>,
): AttributeChange[] {
  const names = Array.from(new Set([...before.keys(), ...after.keys()])).sort();
  return names
    .map((name) => ({ name, before: before.get(name) ?? null, after: after.get(name) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

/** Returns the attributes that two types have in common, in the order of the first. */
function orderOf({ attributes }: EntryType, other: EntryType): string {
  return JSON.stringify(Array.from(attributes.keys()).filter((name) => other.attributes.has(name)));
}

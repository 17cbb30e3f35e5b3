/** Splits a row of a reply into the data of an export's entity and the lists of its links. */
import { isPlainObject } from '../../core/plain-object.ts';
import { type EntryType, isPolymorphic, isScalar, type LinkAttribute } from '../../model/schema/schema.ts';
import type { RestTypes } from './rest-types.ts';
import { isShown } from './slices.ts';

/** The targets of an attribute of a row, in the order of the reply. The row is an entry or a component. */
export interface ShownList {
  readonly type: EntryType;
  readonly id: number;
  readonly attribute: LinkAttribute;
  readonly targets: readonly ShownTarget[];
}

export interface ShownTarget {
  readonly type: string;
  readonly id: number;
  /** Its attributes in the reply. */
  readonly shown: Shown;
}

/** A row in the form of an export: components are nested, and links are apart. */
export interface ReadRow {
  readonly data: Record<string, unknown>;
  readonly lists: readonly ShownList[];
}

/** Reads a row of a content type. Leaves out attributes that the schema lacks. */
export function readRow(types: RestTypes, type: EntryType, shown: Shown): ReadRow {
  const lists: ShownList[] = [];
  const values = readValues(types, type, shown, lists);
  const { documentId = null } = shown;
  return { data: { documentId, ...values, locale: values.locale ?? null }, lists };
}

function readValues(types: RestTypes, type: EntryType, shown: Shown, lists: ShownList[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    const { name } = attribute;
    if (name === 'id' || name === 'documentId' || !Object.hasOwn(shown, name)) continue;
    if (isScalar(attribute)) values[name] = shown[name];
    else if (attribute.kind === 'component' || attribute.kind === 'dynamiczone') {
      const read = (part: unknown) => readComponent(types, attribute, part, lists);
      const value = shown[name];
      if (Array.isArray(value)) values[name] = value.map(read).filter((part) => part !== null);
      else values[name] = read(value);
    } else if (isShown(types, attribute)) {
      lists.push({ type, id: shown.id, attribute, targets: targetsOf(attribute, shown[name]) });
    }
  }
  return values;
}

function readComponent(
  types: RestTypes,
  attribute: LinkAttribute,
  shown: unknown,
  lists: ShownList[],
): Record<string, unknown> | null {
  if (!isRow(shown)) return null;
  const uid = attribute.kind === 'component' ? attribute.target : shown.__component;
  const type = typeof uid === 'string' ? types.schema.types.get(uid) : undefined;
  if (!type) return null;
  const values = readValues(types, type, shown, lists);
  return { id: shown.id, ...values, ...(attribute.kind === 'dynamiczone' && { __component: uid }) };
}

function targetsOf(attribute: LinkAttribute, value: unknown): ShownTarget[] {
  return [value ?? []].flat().flatMap((shown: unknown): ShownTarget[] => {
    if (!isRow(shown)) return [];
    const type = isPolymorphic(attribute) ? shown.__type : attribute.target;
    return typeof type === 'string' ? [{ type, id: shown.id, shown }] : [];
  });
}

function isRow(value: unknown): value is Shown {
  return isPlainObject(value) && Number.isSafeInteger(value.id);
}

/** The attributes of a row as a reply shows it. */
export type Shown = Record<string, unknown> & { readonly id: number };

/**
 * Merges the same value of several replies. Objects are merged by key. Lists have the same elements, and are
 * merged by position. Returns undefined if the replies contradict each other, because the value changed between them.
 */
export function mergeParts(first: unknown, second: unknown): unknown {
  if (Array.isArray(first) && Array.isArray(second)) {
    if (first.length !== second.length) return undefined;
    const merged = first.map((element, i) => mergeParts(element, second[i]));
    return merged.includes(undefined) ? undefined : merged;
  }
  if (!isPlainObject(first) || !isPlainObject(second)) return Object.is(first, second) ? first : undefined;
  if (first.id !== second.id || first.__component !== second.__component) return undefined;
  const merged: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const both = Object.hasOwn(first, key) ? mergeParts(first[key], value) : value;
    if (both === undefined) return undefined;
    merged[key] = both;
  }
  return merged;
}

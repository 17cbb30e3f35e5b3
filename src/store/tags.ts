/**
 * Tags name parts of the content. A reply depends on the parts with its tags: if a batch of changes makes none of them
 * stale, the reply stays the same, byte for byte.
 */
import type { Comparable } from '../model/value-types.ts';

export type Tag = number | string;

/** More characters of a value do not make its tag more precise. */
const tagCharacters = 64;

/** A row: its values, its status, and whether it exists. */
export function rowTag(collection: number, row: number): Tag {
  return collection * 2 ** 32 + row;
}

/** The links of a row in one attribute. `attribute` is its number in the schema. */
export function linksTag(attribute: number, row: number): Tag {
  return -1 - (attribute * 2 ** 32 + row);
}

/** The rows that a type has: which exist, with which status, locale and document. */
export function rowsTag(uid: string): Tag {
  return uid;
}

/** The values of one attribute in all rows that a type has, or the links of all. */
export function attributeTag(uid: string, name: string): Tag {
  return `${uid}.${name}`;
}

/** Everything about the rows with one value of an attribute: which they are, and what they hold. */
export function valueTag(uid: string, name: string, value: Comparable | null): Tag {
  return `${uid}.${name}=${String(value).slice(0, tagCharacters)}`;
}

/** Everything about a type and the links of its rows, for replies that show too much to name it. */
export function typeTag(uid: string): Tag {
  return `${uid}*`;
}

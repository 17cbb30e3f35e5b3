/**
 * Tags name parts of the content. A reply depends on the parts with its tags: if a batch of changes makes none of them
 * stale, the reply stays the same, byte for byte.
 */
import type { Comparable } from '../model/value-types.ts';

export type Tag = number | string;

/** More characters of a value do not make its tag more precise. */
const tagCharacters = 64;

/** Separates the parts of a tag that is text. No uid and no name of an attribute holds it. */
const separator = '\0';

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
  return uid + separator + name;
}

/** Everything about the rows with one value of an attribute: which they are, and what they hold. */
export function valueTag(uid: string, name: string, value: Comparable | null): Tag {
  return uid + separator + name + separator + String(value).slice(0, tagCharacters);
}

/** Everything about a type and the links of its rows, for replies that show too much to name it. */
export function typeTag(uid: string): Tag {
  return separator + uid;
}

/** What a tag names. */
export type TagParts =
  | { readonly kind: 'row'; readonly collection: number; readonly row: number }
  | { readonly kind: 'links'; readonly attribute: number; readonly row: number }
  | { readonly kind: 'rows' | 'type'; readonly uid: string }
  | { readonly kind: 'attribute'; readonly uid: string; readonly name: string }
  | { readonly kind: 'value'; readonly uid: string; readonly name: string; readonly value: string };

export function readTag(tag: Tag): TagParts {
  if (typeof tag === 'number') {
    if (tag >= 0) return { kind: 'row', collection: Math.floor(tag / 2 ** 32), row: tag % 2 ** 32 };
    return { kind: 'links', attribute: Math.floor((-1 - tag) / 2 ** 32), row: (-1 - tag) % 2 ** 32 };
  }
  const [uid, name, ...rest] = tag.split(separator);
  if (uid === '') return { kind: 'type', uid: name };
  if (name === undefined) return { kind: 'rows', uid };
  return rest.length === 0
    ? { kind: 'attribute', uid, name }
    : { kind: 'value', uid, name, value: rest.join(separator) };
}

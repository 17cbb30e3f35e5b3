/**
 * Tags name parts of the content. A reply depends on the parts with its tags: if a batch of changes makes none of them
 * stale, the reply stays the same, byte for byte.
 */

import { type Attribute, type EntryType, isScalar, type ScalarType } from '../../model/schema/schema.ts';
import type { Comparable } from '../../model/schema/value-types.ts';
import type { Segment } from '../segment.ts';

export type Tag = number | string;

/** More characters of another value than a documentId do not make its tag more precise. */
const tagCharacters = 64;

/** Separates the parts of a tag that is text. No uid and no name of an attribute holds it. */
const separator = '\0';

/**
 * What tags name in place of the uid of a type for its drafts, so that a saved draft concerns no reply that shows only
 * what is published. All rows of a type without drafts go by the uid.
 */
export function draftsOf(uid: string): string {
  return `${uid}~drafts`;
}

/** A row: its values, its status, and whether it exists. */
export function rowTag(collection: number, row: number): Tag {
  return collection * 2 ** 32 + row;
}

/** Above the numbers of all collections. */
const presence = 2 ** 20;

/** Whether a row exists, and its status: what a reply depends on that has a link to the row, but does not show it. */
export function presenceTag(collection: number, row: number): Tag {
  return rowTag(presence + collection, row);
}

/** The links of a row in one attribute. `attribute` is its number in the schema. */
export function linksTag(attribute: number, row: number): Tag {
  return -1 - (attribute * 2 ** 32 + row);
}

/**
 * Returns which rows a tag of a row, of its presence or of its links counts: those of one collection, or of the links in
 * one attribute. The same for all rows of one of these kinds of tags.
 */
export function rowsCountedBy(tag: number): number {
  return Math.floor(tag / 2 ** 32);
}

/**
 * The rows that a type has: which exist, with which status, locale and document. Here and below, `uid` may be that of
 * `draftsOf`.
 */
export function rowsTag(uid: string): Tag {
  return uid;
}

/** The values of one attribute in all rows that a type has, or the links of all. */
export function attributeTag(uid: string, name: string): Tag {
  return uid + separator + name;
}

/** The rows with one value of an attribute: which exist, with which status, locale and document. */
export function valueTag(uid: string, name: string, value: Comparable | null): Tag {
  const text = String(value);
  // a document has the same name as its rows
  const shown = name === 'documentId' ? text : text.slice(0, tagCharacters);
  return `${uid}${separator}${name}${separator}=${shown}`;
}

/** The values of another attribute in the rows with one value of an attribute. */
export function valuesWithTag(uid: string, other: string, name: string, value: Comparable | null): Tag {
  return valueTag(uid, name, value) + separator + other;
}

/** The values of an attribute that hold three characters (text-tags.ts). */
export function trigramTag(uid: string, name: string, trigram: string): Tag {
  return `${uid}${separator}${name}${separator}~${trigram}`;
}

/** Everything about a type and the links of its rows, for replies that show too much to name it. */
export function typeTag(uid: string): Tag {
  return separator + uid;
}

/** The values of an attribute whose place in sort order is in a range (order-tags.ts). */
export function placeTag(uid: string, name: string, range: string): Tag {
  return `${uid}${separator}${name}${separator}@${range}`;
}

/** What a tag names. */
export type TagParts =
  | { readonly kind: 'row'; readonly collection: number; readonly row: number }
  | { readonly kind: 'presence'; readonly collection: number; readonly row: number }
  | { readonly kind: 'links'; readonly attribute: number; readonly row: number }
  | { readonly kind: 'rows' | 'type'; readonly uid: string }
  | { readonly kind: 'attribute'; readonly uid: string; readonly name: string }
  | { readonly kind: 'document'; readonly uid: string; readonly documentId: string }
  /** Some values of an attribute. */
  | { readonly kind: 'values'; readonly uid: string; readonly tag: string };

export function readTag(tag: Tag): TagParts {
  if (typeof tag === 'number') {
    if (tag >= 0) {
      const collection = Math.floor(tag / 2 ** 32);
      const row = tag % 2 ** 32;
      if (collection < presence) return { kind: 'row', collection, row };
      return { kind: 'presence', collection: collection - presence, row };
    }
    return { kind: 'links', attribute: Math.floor((-1 - tag) / 2 ** 32), row: (-1 - tag) % 2 ** 32 };
  }
  const [uid, name, values, other] = tag.split(separator);
  if (uid === '') return { kind: 'type', uid: name };
  if (name === undefined) return { kind: 'rows', uid };
  if (values === undefined) return { kind: 'attribute', uid, name };
  if (name === 'documentId' && values.startsWith('=') && other === undefined) {
    return { kind: 'document', uid, documentId: values.slice(1) };
  }
  return { kind: 'values', uid, tag };
}

/** Returns what tags name for a row: the uid of its type, or that of the drafts of the type. */
export function taggedRowsOf({ collection: { type }, published }: Segment, row: number): string {
  return published === null || published.has(row) ? type.uid : draftsOf(type.uid);
}

/** Returns what tags name for a row that had the other status. */
export function otherRowsOf(segment: Segment, row: number): string {
  const { uid } = segment.collection.type;
  return segment.published && taggedRowsOf(segment, row) === uid ? draftsOf(uid) : uid;
}

/** The types of attributes by whose values entries are found with `$eq`. Their values have tags. */
const namedTypes: ReadonlySet<ScalarType> = new Set(['string', 'email', 'uid', 'enumeration', 'boolean', 'integer']);

/**
 * How the values of an attribute are named in tags: the tag of a value of an `identifier`, which few entries share, is
 * stale after every change of an entry with the value, and there are no tags of its other values. Null: they have no
 * tags.
 */
export function valueTagsOf(attribute: Attribute | undefined): 'identifier' | 'value' | null {
  if (!attribute || !isScalar(attribute) || attribute.private || !namedTypes.has(attribute.type)) return null;
  const { name, type } = attribute;
  if (name === 'id' || name === 'documentId' || type === 'uid') return 'identifier';
  return name === 'locale' ? null : 'value';
}

/** Returns the attributes of a type whose values have tags. Queries find components only through links. */
export function attributesWithValueTags({ kind, attributes }: EntryType): Attribute[] {
  return kind === 'component' ? [] : [...attributes.values()].filter((attribute) => valueTagsOf(attribute) !== null);
}

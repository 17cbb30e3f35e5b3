/**
 * Tags name parts of the content. A reply depends on the parts with its tags: if a batch of changes makes none of them
 * stale, the reply stays the same, byte for byte.
 */
import { foldCase } from '../model/case-folding.ts';
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

/**
 * Returns which rows a tag of a row or of its links counts: those of one collection, or of the links in one attribute.
 * The same for all rows of both kinds of tags.
 */
export function rowsCountedBy(tag: number): number {
  return Math.floor(tag / 2 ** 32);
}

/** The rows that a type has: which exist, with which status, locale and document. */
export function rowsTag(uid: string): Tag {
  return uid;
}

/** The values of one attribute in all rows that a type has, or the links of all. */
export function attributeTag(uid: string, name: string): Tag {
  return uid + separator + name;
}

/** The rows with one value of an attribute: which exist, with which status, locale and document. */
export function valueTag(uid: string, name: string, value: Comparable | null): Tag {
  return `${uid}${separator}${name}${separator}=${String(value).slice(0, tagCharacters)}`;
}

/** The values of another attribute in the rows with one value of an attribute. */
export function valuesWithTag(uid: string, other: string, name: string, value: Comparable | null): Tag {
  return valueTag(uid, name, value) + separator + other;
}

/** The values of an attribute that hold three characters, after folding case. */
export function trigramTag(uid: string, name: string, trigram: string): Tag {
  return `${uid}${separator}${name}${separator}~${trigram}`;
}

/** Returns the distinct runs of three characters of a text, after folding case. */
export function trigramsOf(text: string): Set<string> {
  const folded = foldCase(text);
  const trigrams = new Set<string>();
  for (let i = 0; i + 3 <= folded.length; i++) trigrams.add(folded.slice(i, i + 3));
  return trigrams;
}

/** The values of an attribute that are too long to name their trigrams. */
export function longTextTag(uid: string, name: string): Tag {
  return trigramTag(uid, name, '');
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
  | { readonly kind: 'links'; readonly attribute: number; readonly row: number }
  | { readonly kind: 'rows' | 'type'; readonly uid: string }
  | { readonly kind: 'attribute'; readonly uid: string; readonly name: string }
  | { readonly kind: 'place'; readonly uid: string; readonly name: string; readonly range: string }
  | { readonly kind: 'trigram'; readonly uid: string; readonly name: string; readonly trigram: string }
  | {
      readonly kind: 'value';
      readonly uid: string;
      readonly name: string;
      readonly value: string;
      /** The other attribute, if the tag names its values. */
      readonly other?: string;
    };

export function readTag(tag: Tag): TagParts {
  if (typeof tag === 'number') {
    if (tag >= 0) return { kind: 'row', collection: Math.floor(tag / 2 ** 32), row: tag % 2 ** 32 };
    return { kind: 'links', attribute: Math.floor((-1 - tag) / 2 ** 32), row: (-1 - tag) % 2 ** 32 };
  }
  const [uid, name, ...rest] = tag.split(separator);
  if (uid === '') return { kind: 'type', uid: name };
  if (name === undefined) return { kind: 'rows', uid };
  if (rest.length === 0) return { kind: 'attribute', uid, name };
  const [text, other] = rest;
  if (text.startsWith('@')) return { kind: 'place', uid, name, range: text.slice(1) };
  if (text.startsWith('~')) return { kind: 'trigram', uid, name, trigram: text.slice(1) };
  return { kind: 'value', uid, name, value: text.slice(1), other };
}

/**
 * The names of tags outside of the process, in headers and events. Besides letters and digits they hold only some
 * characters of `-_.!~'%:/`, and values of attributes only as digests: who reads a log of names does not read content
 * there. The names of a reply (reply-names.ts) and of a batch (`staleNames`) have one in common whenever their tags do.
 *
 * Digests have no key: whoever may filter by an attribute could ask for the names of values by requests. They are the
 * same in all threads, after a restart, and in every process that serves the content.
 */
import { type Attribute, isScalar } from '../../model/schema/schema.ts';
import { readNumber, readText } from '../read-value.ts';
import type { Store } from '../store.ts';
import { readTag, type Tag, type TagParts, taggedRowsOf } from './tags.ts';

/** Every batch has this name. A reply that depends on too many types has only this one. */
export const anyChange = 'all';

/** Maximum characters of a name: Akamai reads no longer ones. Those of types are shorter, as other names begin with them. */
const maximumLength = 128;
const maximumTypeLength = 110;

/** The name of a type: anything about its entries, and which they are. */
export function typeName(uid: string): string {
  return bounded(encode(uid).replaceAll('%3A', ':'), maximumTypeLength);
}

/** The name of a tag that names neither a row nor its links. */
export function nameOf(parts: Exclude<TagParts, { kind: 'row' | 'presence' | 'links' }>): string {
  const type = typeName(parts.uid);
  switch (parts.kind) {
    case 'type':
      return type;
    case 'rows':
      return `${type}:entries`;
    case 'attribute':
      return bounded(`${type}.${encode(parts.name)}`);
    case 'document':
      return documentName(parts.uid, parts.documentId);
    case 'identifier':
      return `${type}~${nameDigest(parts.tag, 16)}`;
    default:
      return parts satisfies never;
  }
}

/**
 * The name of the document of a row. An entry without a documentId, and a component, has its id there. `rows` is the name
 * of the rows that it is among.
 */
export function rowName(
  store: Store,
  collection: number,
  row: number,
  rows = taggedRowsOf(store.segments[collection], row),
): string {
  const segment = store.segments[collection];
  const id = readText(segment, row, 'documentId') ?? String(readNumber(segment, row, 'id'));
  return documentName(rows, id);
}

/** The name of one of 4096 groups of documents, for replies that have too many to name each. */
export function groupName(uid: string, document: string): string {
  return `${typeName(uid)}/~${nameDigest(document, 12)}`;
}

/** The name of a list of links that others own, which is not part of the document. */
export function inverseName(document: string, { name }: Attribute): string {
  return bounded(`${document}.${encode(name)}`);
}

export function isInverse(attribute: Attribute): boolean {
  return !isScalar(attribute) && !attribute.owner;
}

/**
 * Returns the names of what a batch made stale: of rows as they were and as they are. Every type that it changes has its
 * own name among them.
 */
export function staleNames(before: Store, after: Store, tags: Iterable<Tag>): Set<string> {
  const names = new Set([anyChange]);
  const addDocument = (uid: string, name: string) => names.add(typeName(uid)).add(name).add(groupName(uid, name));
  for (const tag of tags) {
    const parts = readTag(tag);
    if (parts.kind === 'row' || parts.kind === 'presence') {
      const { uid, kind } = after.collections[parts.collection].type;
      // a reply names the entry that owns a component, or the type of the component
      if (kind === 'component') names.add(typeName(uid));
      else for (const { rows, name } of rowNames(before, after, parts.collection, parts.row)) addDocument(rows, name);
    } else if (parts.kind === 'links') {
      const { type, attribute } = after.schema.attributeAt(parts.attribute);
      for (const { rows, name } of rowNames(before, after, after.byUid.get(type.uid)!.number, parts.row)) {
        if (isInverse(attribute)) names.add(typeName(rows)).add(inverseName(name, attribute));
        else addDocument(rows, name);
      }
    } else names.add(typeName(parts.uid)).add(nameOf(parts));
  }
  return names;
}

/** The names of the document of a row, as it was and as it is, each with what tags name for the row. */
function rowNames(before: Store, after: Store, collection: number, row: number): { rows: string; name: string }[] {
  const states = [before, after].filter(({ segments }) => row < segments[collection].rowCount);
  return states.map((store) => ({
    rows: taggedRowsOf(store.segments[collection], row),
    name: rowName(store, collection, row),
  }));
}

function documentName(uid: string, documentId: string): string {
  return bounded(`${typeName(uid)}/${encode(documentId)}`);
}

/** Cuts a name that is too long, and ends it with a digest. */
function bounded(name: string, maximum = maximumLength): string {
  return name.length <= maximum ? name : `${name.slice(0, maximum - 9)}~${nameDigest(name, 32)}`;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[*()]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}

/** Returns a digest of the given number of bits as hexadecimal digits. A collision only makes a name less precise. */
function nameDigest(text: string, bits: number): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> (32 - bits)).toString(16).padStart(bits / 4, '0');
}

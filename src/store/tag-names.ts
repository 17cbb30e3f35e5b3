/**
 * The names of tags outside of the process, in headers and events. They hold neither commas nor blanks, and only ASCII.
 * The names of a reply (reply-names.ts) and of a batch (stale-names.ts) have one in common whenever their tags do.
 */
import { type Attribute, isScalar } from '../model/schema.ts';
import { readNumber, readText } from './read-value.ts';
import type { Store } from './store.ts';
import type { TagParts } from './tags.ts';

/** Every batch has this name. A reply that depends on too many types has only this one. */
export const anyChange = 'all';

/** The name of a type: anything about its entries, and which they are. */
export function typeName(uid: string): string {
  return encode(uid).replaceAll('%3A', ':');
}

/** The name of a tag that names neither a row nor its links. */
export function nameOf(parts: Exclude<TagParts, { kind: 'row' | 'links' }>): string {
  const type = typeName(parts.uid);
  switch (parts.kind) {
    case 'type':
      return type;
    case 'rows':
      return `${type}:entries`;
    case 'attribute':
      return `${type}.${encode(parts.name)}`;
    case 'place':
      return `${type}.${encode(parts.name)}@${parts.range}`;
    case 'trigram':
      return `${type}.${encode(parts.name)}~${encode(parts.trigram)}`;
    case 'value': {
      const { uid, name, value, other } = parts;
      const own = name === 'documentId' ? documentName(uid, value) : `${type}.${encode(name)}=${encode(value)}`;
      return other === undefined ? own : `${own}+${encode(other)}`;
    }
    default:
      return parts satisfies never;
  }
}

/** The name of the document of a row. An entry without a documentId, and a component, has its id there. */
export function rowName(store: Store, collection: number, row: number): string {
  const segment = store.segments[collection];
  const id = readText(segment, row, 'documentId') ?? String(readNumber(segment, row, 'id'));
  return documentName(segment.collection.type.uid, id);
}

/** The name of one of 4096 groups of documents, for replies that have too many to name each. */
export function groupName(uid: string, document: string): string {
  let hash = 0;
  for (let i = 0; i < document.length; i++) hash = Math.imul(hash ^ document.charCodeAt(i), 0x01000193);
  return `${typeName(uid)}/~${((hash >>> 8) & 0xfff).toString(16).padStart(3, '0')}`;
}

/** The name of a list of links that others own, which is not part of the document. */
export function inverseName(document: string, { name }: Attribute): string {
  return `${document}.${encode(name)}`;
}

export function isInverse(attribute: Attribute): boolean {
  return !isScalar(attribute) && !attribute.owner;
}

function documentName(uid: string, documentId: string): string {
  return `${typeName(uid)}/${encode(documentId)}`;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

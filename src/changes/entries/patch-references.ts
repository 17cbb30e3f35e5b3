/** Changes lists of references: the operations of a patch on relations and media. */
import { validate } from '../../core/describe-problem.ts';
import { mapAt } from '../../core/map-at.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { describeMissing, type ReferenceTarget } from '../../load/json/references.ts';
import type { EntryType, LinkAttribute, Schema } from '../../model/schema/schema.ts';
import { type ChangeReference, readChangeReference } from './change-reference.ts';
import { KeptReference } from './kept-reference.ts';
import { documentPosition, type Position } from './node-patch.ts';
import { insert, isNextTo, remove, tooManyPlaces } from './positions.ts';

/** The references of an entry or component in an attribute, and where problems of an operation on them are reported. */
export interface ReferenceList {
  readonly schema: Schema;
  readonly problems: Problems;
  readonly attribute: LinkAttribute;
  /** Each is a KeptReference, or a reference as an upsert has it. */
  readonly items: readonly unknown[];
  readonly location: string;
}

/**
 * Adds references. A document that is connected already stays where it is, or moves to the position that is given. In an
 * attribute of one reference, the new one takes the place of the other.
 */
export function connect(list: ReferenceList, connections: readonly unknown[]): readonly unknown[] {
  const { attribute, location, problems } = list;
  if (!attribute.many && connections.length > 1) {
    problems.add(location, `the attribute holds one reference, not ${connections.length}`);
    return list.items;
  }
  const placed = connections.filter((given) => isPlainObject(given) && given.position !== undefined);
  const excess = tooManyPlaces(list.items.length + connections.length, placed.length);
  if (excess) problems.add(location, excess);
  if (excess) return list.items;
  const items = [...list.items];
  const known = new Documents(list);
  for (const [i, given] of connections.entries()) {
    const at = `${location}[${i}]`;
    const { position: givenPosition, ...reference } = isPlainObject(given) ? given : { position: undefined };
    const item = isPlainObject(given) ? reference : given;
    const target = read(list, item, at);
    if (!target) continue;
    const position = givenPosition === undefined ? null : readPosition(list, known, givenPosition, at);
    if (givenPosition !== undefined && !position) continue;
    const connected = known.find(target);
    if (connected !== undefined && (!position || isNextTo(position, connected))) continue;
    if (connected !== undefined) remove(items, connected);
    else if (!attribute.many) items.length = 0;
    // a document that moves keeps its links
    insert(items, connected ?? item, position);
    if (connected === undefined) known.add(item);
  }
  return items;
}

/** Removes all references to documents. A document that is not connected changes nothing, but it has to exist. */
export function disconnect(
  list: ReferenceList,
  documents: readonly unknown[],
  hasDocument: (type: EntryType, documentId: string) => boolean,
): readonly unknown[] {
  const { items, location, problems } = list;
  const known = new Documents(list);
  const removed = new Set<unknown>();
  for (const [i, given] of documents.entries()) {
    const at = `${location}[${i}]`;
    const target = read(list, given, at);
    if (!target) continue;
    const found = known.all(target);
    for (const item of found) removed.add(item);
    const isKnown = found.length > 0 || hasDocument(target.type, target.documentId);
    if (!isKnown) problems.add(at, describeMissing(target));
  }
  return items.filter((item) => !removed.has(item));
}

/** Puts documents first, in the order that is given. Others follow as they are. */
export function order(list: ReferenceList, documents: readonly unknown[]): readonly unknown[] {
  const { attribute, items, location, problems } = list;
  if (!attribute.many) {
    problems.add(location, 'the attribute holds one reference, which has no order');
    return items;
  }
  const known = new Documents(list);
  /** The place of each item that comes first. */
  const places = new Map<unknown, number>();
  for (const [i, given] of documents.entries()) {
    const at = `${location}[${i}]`;
    const target = read(list, given, at);
    if (!target) continue;
    const found = known.all(target);
    if (found.length === 0) problems.add(at, describeUnconnected(target));
    for (const item of found) if (!places.has(item)) places.set(item, i);
  }
  const placeOf = (item: unknown) => places.get(item) ?? documents.length;
  return [...items].sort((one, other) => placeOf(one) - placeOf(other));
}

function read({ schema, attribute, problems }: ReferenceList, item: unknown, location: string): ChangeReference | null {
  const target = readChangeReference(schema, attribute, item);
  if (typeof target !== 'string') return target;
  problems.add(location, target);
  return null;
}

/** Returns a position with the item that it names. Returns null and reports the problem if it is wrong. */
function readPosition(
  list: ReferenceList,
  known: Documents,
  given: unknown,
  location: string,
): Position<unknown> | null {
  const at = `${location}.position`;
  const position = validate(documentPosition, given, at, list.problems);
  if (!position || 'start' in position || 'end' in position) return position;
  const isBefore = 'before' in position;
  const target = read(list, isBefore ? position.before : position.after, at);
  if (!target) return null;
  const item = known.find(target);
  if (item === undefined) list.problems.add(at, describeUnconnected(target));
  if (item === undefined) return null;
  return isBefore ? { before: item } : { after: item };
}

/** Finds references by the document that they lead to. */
class Documents {
  readonly #list: ReferenceList;
  readonly #items = new Map<string, unknown[]>();

  constructor(list: ReferenceList) {
    this.#list = list;
    for (const item of list.items) this.add(item);
  }

  add(item: unknown): void {
    const target = this.#targetOf(item);
    if (target) mapAt(this.#items, keyOf(target.type, target.documentId), () => []).push(item);
  }

  /** Returns all references to a document. */
  all({ type, documentId }: ReferenceTarget): readonly unknown[] {
    return this.#items.get(keyOf(type.uid, documentId)) ?? [];
  }

  /** Returns the first reference to a document. A locale and a status count if both have them. */
  find(target: ChangeReference): unknown {
    return this.all(target).find((item) => {
      const other = this.#targetOf(item)!;
      return (
        (other.locale ?? target.locale) === (target.locale ?? other.locale) &&
        (other.status ?? target.status) === (target.status ?? other.status)
      );
    });
  }

  #targetOf(
    item: unknown,
  ): (Pick<ChangeReference, 'locale' | 'status'> & { type: string; documentId: string | null }) | null {
    if (item instanceof KeptReference) return { type: item.type, documentId: item.documentId };
    const { schema, attribute } = this.#list;
    const target = readChangeReference(schema, attribute, item);
    return typeof target === 'string' ? null : { ...target, type: target.type.uid };
  }
}

function keyOf(uid: string, documentId: string | null): string {
  return `${uid} ${documentId}`;
}

function describeUnconnected({ type, documentId }: ReferenceTarget): string {
  return `no ${type.singularName} with documentId ${preview(documentId)} is connected`;
}

/** Changes lists of references: the operations of a patch on relations and media. */
import { validate } from '../../core/describe-problem.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { describeMissing, type ReferenceTarget } from '../../load/json/references.ts';
import type { EntryType, LinkAttribute, Schema } from '../../model/schema/schema.ts';
import { type ChangeReference, readChangeReference } from './change-reference.ts';
import { KeptReference } from './kept-reference.ts';
import { documentPosition, type Position } from './node-patch.ts';
import { inserted, isNextTo } from './positions.ts';

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
  let { items } = list;
  for (const [i, given] of connections.entries()) {
    const at = `${location}[${i}]`;
    const { position: givenPosition, ...reference } = isPlainObject(given) ? given : { position: undefined };
    const item = isPlainObject(given) ? reference : given;
    const target = read(list, item, at);
    if (!target) continue;
    if (!attribute.many) {
      items = isNamed(list, items[0], target) ? items : [item];
      continue;
    }
    const position = givenPosition === undefined ? null : readPosition({ ...list, items }, givenPosition, at);
    if (givenPosition !== undefined && !position) continue;
    const known = items.find((other) => isNamed(list, other, target));
    if (known !== undefined && (!position || isNextTo(position, known))) continue;
    // a document that moves keeps its links
    items = inserted(
      items.filter((other) => other !== known),
      known ?? item,
      position,
    );
  }
  return items;
}

/** Removes all references to documents. A document that is not connected changes nothing, but it has to exist. */
export function disconnect(
  list: ReferenceList,
  documents: readonly unknown[],
  hasDocument: (type: EntryType, documentId: string) => boolean,
): readonly unknown[] {
  let { items } = list;
  for (const [i, given] of documents.entries()) {
    const at = `${list.location}[${i}]`;
    const target = read(list, given, at);
    if (!target) continue;
    const left = items.filter((item) => !isNamed(list, item, { ...target, locale: undefined, status: undefined }));
    if (left.length === items.length && !hasDocument(target.type, target.documentId)) {
      list.problems.add(at, describeMissing(target));
    }
    items = left;
  }
  return items;
}

/** Puts documents first, in the order that is given. Others follow as they are. */
export function order(list: ReferenceList, documents: readonly unknown[]): readonly unknown[] {
  if (!list.attribute.many) {
    list.problems.add(list.location, 'the attribute holds one reference, which has no order');
    return list.items;
  }
  const first = new Set<unknown>();
  for (const [i, given] of documents.entries()) {
    const at = `${list.location}[${i}]`;
    const target = read(list, given, at);
    if (!target) continue;
    const named = list.items.filter((item) => isNamed(list, item, target));
    if (named.length === 0) list.problems.add(at, describeUnconnected(target));
    for (const item of named) first.add(item);
  }
  return [...first, ...list.items.filter((item) => !first.has(item))];
}

function read({ schema, attribute, problems }: ReferenceList, item: unknown, location: string): ChangeReference | null {
  const target = readChangeReference(schema, attribute, item);
  if (typeof target !== 'string') return target;
  problems.add(location, target);
  return null;
}

/** Returns a position with the item that it names. Returns null and reports the problem if it is wrong. */
function readPosition(list: ReferenceList, given: unknown, location: string): Position<unknown> | null {
  const at = `${location}.position`;
  const position = validate(documentPosition, given, at, list.problems);
  if (!position || 'start' in position || 'end' in position) return position;
  const isBefore = 'before' in position;
  const target = read(list, isBefore ? position.before : position.after, at);
  if (!target) return null;
  const item = list.items.find((other) => isNamed(list, other, target));
  if (item === undefined) list.problems.add(at, describeUnconnected(target));
  if (item === undefined) return null;
  return isBefore ? { before: item } : { after: item };
}

/** Whether an item leads to a document. A locale and a status count if both have them. */
function isNamed({ schema, attribute }: ReferenceList, item: unknown, target: ChangeReference): boolean {
  if (item instanceof KeptReference) return item.type === target.type.uid && item.documentId === target.documentId;
  const other = readChangeReference(schema, attribute, item);
  return (
    typeof other !== 'string' &&
    other.type === target.type &&
    other.documentId === target.documentId &&
    (other.locale ?? target.locale) === (target.locale ?? other.locale) &&
    (other.status ?? target.status) === (target.status ?? other.status)
  );
}

function describeUnconnected({ type, documentId }: ReferenceTarget): string {
  return `no ${type.singularName} with documentId ${preview(documentId)} is connected`;
}

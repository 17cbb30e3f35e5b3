import type { Attribute, Entry, Snapshot } from '../naive/snapshot.ts';
import { isObject } from '../naive/snapshot.ts';
import { isScalar } from '../naive/types.ts';
import type { Case } from './arbitraries.ts';

/**
 * Smaller forms of a case, the largest cuts first: one request alone, then halves and single parts of the query,
 * of the entries, of the attributes, types, components and roles.
 */
export function* smallerCases(value: Case): IterableIterator<Case> {
  if (value.requests.length > 1) {
    for (const request of value.requests) yield { ...value, requests: [request], shrunk: true };
    return;
  }
  for (const cut of cuts(value)) {
    const copy: Case = structuredClone(value);
    copy.shrunk = true;
    cut(copy);
    if (hasEmptyPart(copy.requests[0]!.query)) continue;
    repair(copy.snapshot);
    yield copy;
  }
}

/** A query string cannot express an empty object or list, and their meaning is not specified. */
export function hasEmptyPart(query: object): boolean {
  return Object.values(query).some((value) => {
    return typeof value === 'object' && value !== null && (Object.keys(value).length === 0 || hasEmptyPart(value));
  });
}

type Cut = (copy: Case) => void;

function* cuts(value: Case): IterableIterator<Cut> {
  const { snapshot, requests } = value;
  yield* queryCuts(requests[0]!.query, (copy) => copy.requests[0]!.query);
  if (requests[0]!.role !== undefined) yield (copy) => delete copy.requests[0]!.role;
  for (const [name, entries] of Object.entries(snapshot.entries)) {
    for (let size = entries.length; size >= 1; size = Math.floor(size / 2)) {
      for (let start = 0; start < entries.length; start += size) {
        yield (copy) => copy.snapshot.entries[name]!.splice(start, size);
      }
    }
  }
  for (let i = 0; i < snapshot.contentTypes.length; i++) yield (copy) => copy.snapshot.contentTypes.splice(i, 1);
  for (const uid of Object.keys(snapshot.components ?? {})) yield (copy) => delete copy.snapshot.components![uid];
  for (let i = 0; i < snapshot.contentTypes.length; i++) {
    const type = (copy: Case) => copy.snapshot.contentTypes[i]!;
    for (const name of Object.keys(snapshot.contentTypes[i]!.attributes))
      yield (copy) => delete type(copy).attributes[name];
    if (snapshot.contentTypes[i]!.options) yield (copy) => delete type(copy).options;
    if (snapshot.contentTypes[i]!.pluginOptions) yield (copy) => delete type(copy).pluginOptions;
  }
  for (const [uid, component] of Object.entries(snapshot.components ?? {})) {
    for (const name of Object.keys(component.attributes))
      yield (copy) => delete copy.snapshot.components![uid]!.attributes[name];
  }
  for (const [name, entries] of Object.entries(snapshot.entries)) {
    for (let i = 0; i < entries.length; i++) {
      for (const key of Object.keys(entries[i]!)) {
        if (key !== 'documentId') yield (copy) => delete copy.snapshot.entries[name]![i]![key];
        if (Array.isArray(entries[i]![key])) yield (copy) => (copy.snapshot.entries[name]![i]![key] as unknown[]).pop();
      }
    }
  }
  for (let i = 0; i < (snapshot.roles?.length ?? 0); i++) yield (copy) => copy.snapshot.roles!.splice(i, 1);
}

/** Omits each key and list item of a query, at any depth, and replaces each parent with each object. */
function* queryCuts(value: unknown, find: (copy: Case) => any): IterableIterator<Cut> {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      yield (copy) => find(copy).splice(i, 1);
      yield* queryCuts(value[i], (copy) => find(copy)[i]);
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) yield (copy) => delete find(copy)[key];
    for (const key of Object.keys(value)) {
      const inner = value[key];
      for (const part of Array.isArray(inner) ? inner : [inner]) {
        if (isObject(part)) yield (copy) => replaceKey(find(copy), key, part);
      }
      yield* queryCuts(inner, (copy) => find(copy)[key]);
    }
  }
}

function replaceKey(parent: Record<string, unknown>, key: string, part: Record<string, unknown>): void {
  delete parent[key];
  Object.assign(parent, structuredClone(part));
}

/** Removes dangling references. */
function repair(snapshot: Snapshot): void {
  const uids = new Map(snapshot.contentTypes.map((type) => [uidOf(type.info.singularName), type.info.singularName]));
  uids.set('plugin::upload.file', 'file').set('plugin::users-permissions.user', 'user');
  for (const name of Object.keys(snapshot.entries)) {
    if (![...uids.values()].includes(name)) delete snapshot.entries[name];
  }
  const types = new Map(snapshot.contentTypes.map((type) => [uidOf(type.info.singularName), type.attributes]));
  const owners = [
    ...types.values(),
    ...Object.values(snapshot.components ?? {}).map((component) => component.attributes),
  ];
  for (let again = true; again; ) {
    again = false;
    for (const attributes of owners) {
      for (const [name, attribute] of Object.entries(attributes)) {
        attribute.components &&= attribute.components.filter((uid) => snapshot.components![uid]);
        if (isWhole(snapshot, types, uids, attribute)) continue;
        delete attributes[name];
        again = true;
      }
    }
  }
  const exists = (uid: string, documentId: unknown) =>
    snapshot.entries[uids.get(uid)!]?.some((entry) => entry.documentId === documentId) === true;
  for (const [uid, name] of uids) {
    for (const entry of snapshot.entries[name] ?? []) scrub(snapshot, types.get(uid), entry, exists);
  }
}

const uidOf = (singularName: string) => `api::${singularName}.${singularName}`;

function isWhole(
  snapshot: Snapshot,
  types: Map<string, Record<string, Attribute>>,
  uids: Map<string, string>,
  attribute: Attribute,
): boolean {
  if (attribute.component) return snapshot.components?.[attribute.component] !== undefined;
  if (attribute.components) return attribute.components.length > 0;
  if (!attribute.target) return true;
  const other = attribute.inversedBy ?? attribute.mappedBy ?? attribute.morphBy;
  return uids.has(attribute.target) && (!other || types.get(attribute.target)?.[other] !== undefined);
}

/** Removes attributes that the type no longer has, and links to missing documents. */
function scrub(
  snapshot: Snapshot,
  attributes: Record<string, Attribute> | undefined,
  entry: Entry,
  exists: (uid: string, documentId: unknown) => boolean,
): void {
  const system = ['id', 'documentId', 'status', 'locale', 'createdAt', 'updatedAt', 'publishedAt', '__component'];
  if (!attributes) return;
  for (const key of Object.keys(entry)) {
    const attribute = attributes[key];
    if (system.includes(key) || (attribute && isScalar(attribute))) continue;
    const isKept = (item: any): boolean => {
      if (!attribute) return false;
      if (attribute.component || attribute.components) {
        const uid = attribute.component ?? item.__component;
        if (attribute.components && !attribute.components.includes(uid)) return false;
        scrub(snapshot, snapshot.components![uid]!.attributes, item, exists);
        return true;
      }
      if (attribute.type === 'media') return exists('plugin::upload.file', item);
      return attribute.target ? exists(attribute.target, item) : exists(item.__type, item.documentId);
    };
    const value = entry[key];
    if (Array.isArray(value) && attribute) entry[key] = value.filter(isKept);
    else if (!attribute || (value !== null && !isKept(value))) delete entry[key];
  }
}

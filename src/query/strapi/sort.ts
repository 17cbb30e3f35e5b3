import { type Attribute, type EntryType, isRelation, type Schema } from '../../model/schema/schema.ts';
import type { SortPolicy, UnresolvedSortKey } from '../policies.ts';
import { readSortKeys, type SortReader } from '../shared-readers.ts';
import type { Part } from '../syntax/location.ts';
import type { SortNode, SortObjectNode, SortText } from '../syntax/sort-nodes.ts';
import { strapiErrors as errors } from './errors.ts';

/** Leaves out keys without a name, keys whose order is empty, and keys that lead to a `status`. */
export const strapiSort: SortPolicy = {
  read(schema, type, sort, part) {
    if (!sortsSomething(sort)) return [];
    return readSortKeys(sort, part, reader).filter(({ names }) => !endsInStatus(schema, type, names));
  },
};

/** `checkSortNames` has rejected lists that mix texts and objects. */
const reader: SortReader = { errors, readText, readObject: (node, part) => readObject(node, [], part) };

/** What follows a second colon, and names that are empty, are ignored. */
function readText({ text, path, orders }: SortText): UnresolvedSortKey[] {
  if (path === '') return [];
  const [first, ...rest] = path.split('.');
  return [{ names: [first, ...rest.filter((name) => name !== '')], order: orders[0], text }];
}

function readObject({ entries }: SortObjectNode, names: readonly string[], part: Part): UnresolvedSortKey[] {
  return entries.flatMap(([key, value]) => {
    const path = [...names, ...key.split('.')];
    if (value.kind === 'object') return readObject(value, path, part);
    if (value.kind !== 'text') throw errors.wrongSort(part, path.join('.'), value.raw);
    const order = value.raw.trim();
    return order === '' ? [] : [{ names: path, order }];
  });
}

/** Returns whether a sort has a text with a name, or an object with an order. Otherwise Strapi ignores it. */
export function sortsSomething(node: SortNode): boolean {
  switch (node.kind) {
    case 'text':
      return node.keys.some(({ path }) => path !== '');
    case 'list':
      return node.items.some((item) => item.kind !== 'list' && sortsSomething(item));
    case 'object':
      return node.entries.some(([, value]) => hasOrder(value));
    case 'value':
      return false;
    default:
      return node satisfies never;
  }
}

function hasOrder(node: SortNode): boolean {
  if (node.kind === 'text') return node.raw !== '';
  return node.kind === 'object' && node.entries.some(([, value]) => hasOrder(value));
}

/**
 * Returns whether a name is the `status` of a type with drafts. It is no attribute, but may be in a sort at any depth
 * and with any order. Strapi removes it, so it sorts nothing.
 */
export function isStatusKey({ draftAndPublish }: EntryType, name: string): boolean {
  return name === 'status' && draftAndPublish;
}

/** Returns whether a path leads to a `status`. What follows it does not count. */
function endsInStatus(schema: Schema, root: EntryType, names: readonly string[]): boolean {
  let current: EntryType | undefined = root;
  for (const name of names) {
    const attribute: Attribute | undefined = current?.attributes.get(name);
    if (!attribute) return isStatusKey(root, name);
    current = isRelation(attribute) ? schema.types.get(attribute.target) : undefined;
  }
  return false;
}

import type { SortPolicy, UnresolvedSortKey } from '../policies.ts';
import { readSortKeys, type SortReader } from '../shared-readers.ts';
import { type SortListNode, type SortObjectNode, type SortText, sortEntries } from '../syntax/sort-nodes.ts';
import { documentErrors as errors } from './errors.ts';

/** Reads every key. Only keys without a name and an order are left out. */
export const documentSort: SortPolicy = {
  read: (_schema, _type, sort, part) => readSortKeys(sort, part, reader),
};

const reader: SortReader = { errors, readText, readObject: (node) => readObject(node, []) };

function readText({ text, path, orders }: SortText): UnresolvedSortKey[] {
  if (path === '' && orders.length === 0) return [];
  return [{ names: path.split('.'), order: orders.length === 0 ? undefined : orders.join(':'), text }];
}

function readObject(node: SortObjectNode | SortListNode, names: readonly string[]): UnresolvedSortKey[] {
  return sortEntries(node).flatMap(([key, value]) => {
    const path = [...names, ...key.split('.')];
    if (value.kind === 'object' || value.kind === 'list') return readObject(value, path);
    return [{ names: path, order: value.raw }];
  });
}

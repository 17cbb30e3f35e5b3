import type { SortPolicy, WrittenSortKey } from '../policies.ts';
import type { Part } from '../syntax/location.ts';
import {
  type SortListNode,
  type SortNode,
  type SortObjectNode,
  type SortText,
  sortEntries,
} from '../syntax/sort-nodes.ts';
import { explainedMessages as messages } from './explained-messages.ts';

/** Reads every key that is written. Nothing is left out but keys without a name and an order. */
export const strictSort: SortPolicy = {
  read: (_schema, _type, sort, part) => readKeys(sort, part),
};

function readKeys(node: SortNode, part: Part): WrittenSortKey[] {
  switch (node.kind) {
    case 'text':
      return node.keys.flatMap(readText);
    case 'list': {
      const forms = new Set(node.items.map(({ raw }) => typeof raw));
      if (forms.size > 1) throw messages.mixedSort(part, node.raw);
      return node.items.flatMap((item) => readKeys(item, part));
    }
    case 'object':
      return readObject(node, []);
    case 'value':
      if (node.raw === undefined || node.raw === null) return [];
      throw messages.sortForm(part, null, node.raw);
    default:
      return node satisfies never;
  }
}

function readText({ text, path, orders }: SortText): WrittenSortKey[] {
  if (path === '' && orders.length === 0) return [];
  return [{ names: path.split('.'), order: orders.length === 0 ? undefined : orders.join(':'), text }];
}

function readObject(node: SortObjectNode | SortListNode, names: readonly string[]): WrittenSortKey[] {
  return sortEntries(node).flatMap(([key, value]) => {
    const path = [...names, ...key.split('.')];
    if (value.kind === 'object' || value.kind === 'list') return readObject(value, path);
    return [{ names: path, order: value.raw }];
  });
}

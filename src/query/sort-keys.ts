import type { ErrorPolicy } from './errors.ts';
import type { WrittenSortKey } from './policies.ts';
import type { Part } from './syntax/location.ts';
import type { SortNode, SortObjectNode, SortText } from './syntax/sort-nodes.ts';

/** How a dialect reads the parts of a sort. */
export interface SortReader {
  readonly errors: Pick<ErrorPolicy, 'mixedSort' | 'sortForm'>;
  readText(text: SortText): WrittenSortKey[];
  readObject(node: SortObjectNode, part: Part): WrittenSortKey[];
}

/** Reads the keys of a sort in order. Throws for a list that mixes texts and objects, and for any other form. */
export function readSortKeys(node: SortNode, part: Part, reader: SortReader): WrittenSortKey[] {
  switch (node.kind) {
    case 'text':
      return node.keys.flatMap((text) => reader.readText(text));
    case 'list': {
      const forms = new Set(node.items.map(({ raw }) => typeof raw));
      if (forms.size > 1) throw reader.errors.mixedSort(part, node.raw);
      return node.items.flatMap((item) => readSortKeys(item, part, reader));
    }
    case 'object':
      return reader.readObject(node, part);
    case 'value':
      if (node.raw === undefined || node.raw === null) return [];
      throw reader.errors.sortForm(part, null, node.raw);
    default:
      return node satisfies never;
  }
}

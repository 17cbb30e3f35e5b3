/** A query as a syntax tree. It depends neither on the schema nor on the caller nor on the dialect. */
import { type FieldsNode, parseFields } from './fields-node.ts';
import { type FilterNode, parseFilter } from './filter-nodes.ts';
import type { RawQuery } from './parse.ts';
import { type PopulateNode, parsePopulate } from './populate-nodes.ts';
import { parseSort, type SortNode } from './sort-nodes.ts';

export interface QueryTree {
  readonly filters: FilterNode;
  readonly sort: SortNode;
  readonly fields: FieldsNode | null;
  readonly populate: PopulateNode | null;
  /** All parameters as they are. Those without syntax of their own, such as `locale` and `_q`, are read from here. */
  readonly raw: RawQuery;
}

export function parseTree(raw: RawQuery): QueryTree {
  return {
    filters: parseFilter(raw.filters),
    sort: parseSort(raw.sort),
    fields: parseFields(raw.fields),
    populate: parsePopulate(raw.populate),
    raw,
  };
}

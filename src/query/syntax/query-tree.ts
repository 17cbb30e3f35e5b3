/** A query as a syntax tree. It depends neither on the schema nor on the caller nor on the dialect. */

import { type FilterNode, parseFilter } from './filter-nodes.ts';
import {
  type FieldsNode,
  type PaginationNode,
  type ParameterNode,
  parseFields,
  parsePagination,
  parseParameter,
  type RootPageNode,
} from './parameter-nodes.ts';
import type { RawQuery } from './parse.ts';
import { type PopulateNode, parsePopulate } from './populate-nodes.ts';
import { parseSort, type SortNode } from './sort-nodes.ts';

/** The parameters that a tree has members for. All others are in `QueryTree.parameters` alone. */
export const treeParameters: ReadonlySet<string> = new Set([
  'filters',
  'sort',
  'fields',
  'populate',
  'pagination',
  'page',
  'pageSize',
  'start',
  'limit',
  'status',
  'publicationState',
  'publicationFilter',
  'hasPublishedVersion',
  'locale',
  '_q',
  'facets',
]);

export interface QueryTree {
  readonly filters: FilterNode;
  readonly sort: SortNode;
  readonly fields: FieldsNode | null;
  readonly populate: PopulateNode | null;
  readonly pagination: PaginationNode | null;
  readonly rootPage: RootPageNode;
  readonly status: ParameterNode;
  readonly publicationState: ParameterNode;
  readonly publicationFilter: ParameterNode;
  readonly hasPublishedVersion: ParameterNode;
  readonly locale: ParameterNode;
  /** The parameter `_q`. */
  readonly search: ParameterNode;
  readonly facets: FieldsNode | null;
  /** Every parameter, known or not, in the order of the query. */
  readonly parameters: readonly ParameterNode[];
}

export function parseTree(raw: RawQuery): QueryTree {
  const parameter = (name: string) => parseParameter(name, raw[name]);
  return {
    filters: parseFilter(raw.filters),
    sort: parseSort(raw.sort),
    fields: parseFields(raw.fields),
    populate: parsePopulate(raw.populate),
    pagination: parsePagination(raw.pagination),
    rootPage: {
      page: parameter('page'),
      pageSize: parameter('pageSize'),
      start: parameter('start'),
      limit: parameter('limit'),
    },
    status: parameter('status'),
    publicationState: parameter('publicationState'),
    publicationFilter: parameter('publicationFilter'),
    hasPublishedVersion: parameter('hasPublishedVersion'),
    locale: parameter('locale'),
    search: parameter('_q'),
    facets: parseFields(raw.facets),
    parameters: Object.keys(raw).map(parameter),
  };
}

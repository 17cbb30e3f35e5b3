import { ValidationError } from '../../core/errors.ts';
import { everyLocale, type RequestPolicy } from '../policies.ts';
import { commonParameters } from '../shared-readers.ts';
import { type QueryTree, treeParameters } from '../syntax/query-tree.ts';
import { checkFilterNames, checkSortNames } from './check-names.ts';
import { readLongLists } from './long-lists.ts';
import { rejectUnanswerableFilters, rejectUnanswerableSort } from './reject-unanswerable.ts';

const internalParameter = 'lookup';

/** Unknown parameters are ignored, and wrong names are reported before wrong values. */
export const strapiRequest: RequestPolicy = {
  parameters: new Set([...commonParameters, 'start', 'limit']),
  readLongLists,
  checkParameters: () => {},
  ignores: (name) => !treeParameters.has(name) && name !== internalParameter,
  checkFilterNames,
  checkSortNames,
  readsIdOnly: () => false,
  // a locale in the filters replaces the parameter, and the documentId of the path that of the filters
  resolveConflicts({ type, namesDocument }, tree) {
    rejectLookup(tree);
    const { filters, locale } = tree;
    if (filters.kind !== 'group') return { filters, locale };
    const hasLocale = filters.members.some(({ key, value }) => key === 'locale' && value.raw !== undefined);
    const members = filters.members.filter(({ key }) => key !== 'documentId');
    return {
      filters: namesDocument ? { ...filters, members } : filters,
      locale: type.localized && hasLocale ? everyLocale : locale,
    };
  },
  checkAnswerable(context, type, filters, sort) {
    rejectUnanswerableSort(sort);
    rejectUnanswerableFilters(context, type, filters);
  },
};

/** In Strapi 4, where the path has the id of a row, of filters and sort only the names count. */
export const strapi4Request: RequestPolicy = {
  ...strapiRequest,
  parameters: new Set([...strapiRequest.parameters, 'publicationState']),
  readLongLists: () => null,
  readsIdOnly: ({ namesRow }) => namesRow,
  resolveConflicts(_route, tree) {
    rejectLookup(tree);
    return tree;
  },
};

/** Throws for the parameter `lookup`, which is internal to Strapi. */
function rejectLookup({ parameters }: QueryTree): void {
  if (parameters.some(({ param, raw }) => param === internalParameter && raw)) {
    throw new ValidationError(`Invalid params: '${internalParameter}'`);
  }
}

import { commonParameters } from '../document/request.ts';
import { everyLocale, type RequestPolicy } from '../policies.ts';
import { checkFilterNames, checkSortNames } from './check-names.ts';
import { readLongLists } from './long-lists.ts';
import { rejectUnanswerableFilters, rejectUnanswerableSort } from './reject-unanswerable.ts';

/** Strapi 5. Unknown parameters are ignored, and wrong names are reported before wrong values. */
export const requestOfVersion5: RequestPolicy = {
  parameters: new Set([...commonParameters, 'start', 'limit']),
  readLongLists,
  checkParameters: () => {},
  checkFilterNames,
  checkSortNames,
  readsIdOnly: () => false,
  // a locale in the filters replaces the parameter, and the documentId of the path that of the filters
  lookup({ type, namesDocument }, { filters, raw }) {
    if (filters.kind !== 'group') return { filters, locale: raw.locale };
    const hasLocale = filters.members.some(({ key, value }) => key === 'locale' && value.raw !== undefined);
    const members = filters.members.filter(({ key }) => key !== 'documentId');
    return {
      filters: namesDocument ? { ...filters, members } : filters,
      locale: type.localized && hasLocale ? everyLocale : raw.locale,
    };
  },
  checkAnswerable(context, type, filters, sort) {
    rejectUnanswerableSort(sort);
    rejectUnanswerableFilters(context, type, filters);
  },
};

/** Strapi 4. Where the path has the id of a row, of filters and sort only the names count. */
export const requestOfVersion4: RequestPolicy = {
  ...requestOfVersion5,
  parameters: new Set([...requestOfVersion5.parameters, 'publicationState']),
  readLongLists: () => null,
  readsIdOnly: ({ namesRow }) => namesRow,
  lookup: (_route, { filters, raw }) => ({ filters, locale: raw.locale }),
};

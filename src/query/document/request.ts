import type { RequestPolicy } from '../policies.ts';
import { explainedMessages as messages } from './explained-messages.ts';

/** The parameters of every dialect. */
export const commonParameters: readonly string[] = [
  'filters',
  'fields',
  'populate',
  'sort',
  'pagination',
  'status',
  'locale',
  'publicationFilter',
  'hasPublishedVersion',
  '_q',
];

/** Names and values are checked while they are bound. */
export function strictRequest(parameters: ReadonlySet<string>): RequestPolicy {
  return {
    parameters,
    readLongLists: () => null,
    checkParameters(query) {
      const key = Object.keys(query).find((name) => !parameters.has(name));
      if (key !== undefined) throw messages.parameter(key, parameters, query[key]);
    },
    checkFilterNames: () => {},
    checkSortNames: () => {},
    readsIdOnly: () => false,
    lookup: (_route, { filters, raw }) => ({ filters, locale: raw.locale }),
    checkAnswerable: () => {},
  };
}

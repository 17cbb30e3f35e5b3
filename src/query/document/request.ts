import type { RequestPolicy } from '../policies.ts';
import { unknownParameter } from './own-errors.ts';

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
export function documentRequest(parameters: ReadonlySet<string>): RequestPolicy {
  return {
    parameters,
    readLongLists: () => null,
    checkParameters(given) {
      const unknown = given.find(({ param }) => !parameters.has(param));
      if (unknown) throw unknownParameter(unknown, parameters);
    },
    checkFilterNames: () => {},
    checkSortNames: () => {},
    readsIdOnly: () => false,
    resolveConflicts: (_route, tree) => tree,
    checkAnswerable: () => {},
  };
}

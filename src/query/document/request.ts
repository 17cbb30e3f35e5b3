import type { RequestPolicy } from '../policies.ts';
import { unknownParameter } from './own-errors.ts';

/** Names and values are checked while they are bound. */
export function documentRequest(parameters: ReadonlySet<string>): RequestPolicy {
  return {
    parameters,
    readLongLists: () => null,
    checkParameters(given) {
      const unknown = given.find(({ param }) => !parameters.has(param));
      if (unknown) throw unknownParameter(unknown, parameters);
    },
    ignores: () => false,
    checkFilterNames: () => {},
    checkSortNames: () => {},
    readsIdOnly: () => false,
    resolveConflicts: (_route, tree) => tree,
    checkAnswerable: () => {},
  };
}

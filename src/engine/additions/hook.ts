/** Calls query hooks and checks their results. */
import { ExtensionError, RequestError } from '../../core/errors.ts';
import { addTo, type QueryAddition } from '../../query/addition.ts';
import type { RawQuery } from '../../query/syntax/parse.ts';
import { toRequestError } from './custom-reply.ts';
import type { QueryHook } from './extension.ts';
import { describeValue, plainDataProblem } from './values.ts';

/** A hook returned a value that is not a query. */
export class HookResultError extends ExtensionError {}

/**
 * Wraps a hook. The result throws a RequestError if the hook rejects the request, and an ExtensionError if it fails or
 * does not return a query. `path` is the path of the hook in the extension.
 */
export function checkedHook(file: string, path: string, hook: QueryHook): NonNullable<QueryAddition['hook']> {
  return (query, role) => {
    let result: unknown;
    try {
      result = hook(structuredClone(query), { role });
    } catch (error) {
      throw toRequestError(error) ?? new ExtensionError(`${file}: ${path} threw ${describeValue(error)}`, error);
    }
    const problem = plainDataProblem(result);
    if (problem !== null) {
      throw new HookResultError(`${file}: ${path} must return an object of query parameters; ${problem}`);
    }
    return withoutUndefined(result as RawQuery);
  };
}

/** Removes undefined parameters, which count as absent. */
function withoutUndefined(query: RawQuery): RawQuery {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

/** The outcome of calling a hook with an empty query. A hook may reject this query and accept others. */
export type HookTrial =
  | { readonly kind: 'query'; readonly query: RawQuery }
  | { readonly kind: 'rejected' }
  /** `wrong`: it did not return a query. `failed`: it threw. */
  | { readonly kind: 'wrong' | 'failed'; readonly message: string };

/** Calls the hook of an addition as for a URL without a query string. */
export function tryHook(addition: QueryAddition): HookTrial {
  try {
    return { kind: 'query', query: addTo({}, addition, 'public') };
  } catch (error) {
    if (error instanceof RequestError) return { kind: 'rejected' };
    if (!(error instanceof ExtensionError)) throw error;
    const kind = error instanceof HookResultError ? 'wrong' : 'failed';
    return { kind, message: `${error.message}, called with a query without parameters` };
  }
}

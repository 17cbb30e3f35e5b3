/** Query hooks, with their results checked. */
import { ExtensionError, RequestError } from '../base/errors.ts';
import { addTo, type QueryAddition } from '../query/addition.ts';
import type { RawQuery } from '../query/syntax/parse.ts';
import type { QueryHook } from './extension.ts';
import { refusalOf } from './refusal.ts';
import { describeValue, plainDataProblem } from './values.ts';

/** A hook whose result is no query, whatever it is called with. */
export class HookResultError extends ExtensionError {}

/**
 * Wraps a hook. The wrapped hook throws a RequestError where the hook refuses the request, and an ExtensionError where
 * it fails or returns anything but a query.
 */
export function checkedHook(file: string, place: string, hook: QueryHook): NonNullable<QueryAddition['hook']> {
  return (query, role) => {
    let result: unknown;
    try {
      result = hook(structuredClone(query), { role });
    } catch (error) {
      throw refusalOf(error) ?? new ExtensionError(`${file}: ${place} threw ${describeValue(error)}`, error);
    }
    const problem = plainDataProblem(result);
    if (problem !== null) {
      throw new HookResultError(`${file}: ${place} must return an object of query parameters; ${problem}`);
    }
    return withoutUndefined(result as RawQuery);
  };
}

/** A parameter that is undefined is not there. */
function withoutUndefined(query: RawQuery): RawQuery {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

/** What a hook did with a query without parameters. That it refuses this one tells nothing of other queries. */
export type HookTrial =
  | { readonly kind: 'query'; readonly query: RawQuery }
  | { readonly kind: 'refused' }
  /** `wrong`: it returns no query. `failed`: it threw. */
  | { readonly kind: 'wrong' | 'failed'; readonly message: string };

/** Calls the hook of an addition as the server would for a URL without a query string. */
export function tryHook(addition: QueryAddition): HookTrial {
  try {
    return { kind: 'query', query: addTo({}, addition, 'public') };
  } catch (error) {
    if (error instanceof RequestError) return { kind: 'refused' };
    if (!(error instanceof ExtensionError)) throw error;
    const kind = error instanceof HookResultError ? 'wrong' : 'failed';
    return { kind, message: `${error.message}, called with a query without parameters` };
  }
}

import stringify from 'fast-json-stable-stringify';
import type { BoundQuery, Condition } from './bound.ts';

/** Returns the cache key of a bound query. */
export function queryKey(query: BoundQuery): string {
  return stringify(query);
}

/** Returns the cache key of the rows that match conditions. `scope` names the set of visible rows. */
export function rowsKey(uid: string, scope: string, conditions: readonly Condition[]): string {
  return `${uid} ${scope} ${JSON.stringify(conditions)}`;
}

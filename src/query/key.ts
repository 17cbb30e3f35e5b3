import stringify from 'fast-json-stable-stringify';
import type { BoundQuery, Condition } from './bound.ts';

/** The text of a bound query: equal for queries that have the same reply. */
export function queryKey(query: BoundQuery): string {
  return stringify(query);
}

/** The text of filters on a type as `view` tells who sees it: equal for filters that have the same rows. */
export function rowsKey(uid: string, view: string, conditions: readonly Condition[]): string {
  return `${uid} ${view} ${JSON.stringify(conditions)}`;
}

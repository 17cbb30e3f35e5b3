import stringify from 'fast-json-stable-stringify';
import type { BoundQuery, Condition } from './bound.ts';

/** The text of a bound query: equal for queries that have the same reply. */
export function queryKey(query: BoundQuery): string {
  return stringify(query);
}

/** The text of a filter on a type: equal for filters that have the same rows. */
export function conditionKey(uid: string, condition: Condition): string {
  return `${uid} ${stringify(condition)}`;
}

import type { RawQuery } from './syntax/parse.ts';

/** Parameters that a site adds to the queries of one route. Frozen and shared by all requests. */
export interface QueryAddition {
  /** Parameters for queries that lack them. An empty parameter is present. */
  readonly defaults: RawQuery;
  /** Parameters that replace those of the query. Null removes a parameter. */
  readonly set: RawQuery;
  /**
   * Rewrites the query of each request, after parameters are added. It may read any value, so queries of its route are
   * not prepared.
   */
  readonly hook?: (query: RawQuery, role: string) => RawQuery;
}

/** Additions by `additionKey`. */
export type Additions = ReadonlyMap<string, QueryAddition>;

export function additionKey(uid: string, action: string): string {
  return `${uid} ${action}`;
}

/** Returns a query with the parameters of its route. Whole parameters are replaced; nothing is merged. */
export function addTo(query: RawQuery, { defaults, set, hook }: QueryAddition, role: string): RawQuery {
  const added = { ...defaults, ...query, ...set };
  for (const [name, value] of Object.entries(set)) if (value === null) delete added[name];
  return hook ? hook(added, role) : added;
}

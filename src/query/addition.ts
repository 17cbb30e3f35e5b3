import type { RawQuery } from './syntax/parse.ts';

/** What is added to the queries of one route before they are bound. Frozen and shared by all requests. */
export interface QueryAddition {
  /** Parameters for queries that lack them. A parameter that is present but empty is not lacking. */
  readonly defaults: RawQuery;
  /** Parameters that replace those of the query. Null removes one. */
  readonly set: RawQuery;
  /**
   * Rewrites the query of each request, after the parameters were added. It may look at any value, so a route with a
   * hook has no templates.
   */
  readonly hook?: (query: RawQuery, role: string) => RawQuery;
}

/** Additions by route, under `additionKey`. */
export type Additions = ReadonlyMap<string, QueryAddition>;

export function additionKey(uid: string, action: string): string {
  return `${uid} ${action}`;
}

/** Returns the query with the parameters of its route. They replace whole parameters; nothing is merged below. */
export function addTo(query: RawQuery, { defaults, set, hook }: QueryAddition, role: string): RawQuery {
  const added = { ...defaults, ...query, ...set };
  for (const [name, value] of Object.entries(set)) if (value === null) delete added[name];
  return hook ? hook(added, role) : added;
}

/** The counts of values that replies hold, and requests for them. */
import type { ExploredQuery } from '../query/explored-query.ts';
import { plainSelection } from '../query/explored-query.ts';
import { printUrl } from '../query/print-url.ts';

/** A value of an attribute, and how many entries of the list have it. */
export interface ValueCount {
  readonly value: string | number | boolean | null;
  readonly count: number;
}

export interface FacetCounts {
  /** The most frequent first. */
  readonly values: readonly ValueCount[];
  /** The number of different values. */
  readonly total: number;
}

/** Returns the facets of a reply by their paths. */
export function facetsOf(reply: unknown): Readonly<Record<string, FacetCounts>> {
  return (reply as { meta?: { facets?: Record<string, FacetCounts> } } | undefined)?.meta?.facets ?? {};
}

/** Returns the URL that counts the values of a path among the entries of a list, without filter `index`. */
export function countingUrl(query: ExploredQuery, index: number, path: string): string {
  return printUrl({
    ...query,
    filters: query.filters.filter((_, i) => i !== index),
    selection: { ...plainSelection, fields: ['id'] },
    sort: [],
    page: { pageSize: '1' },
    facets: [path],
    kept: query.kept.filter(({ path: [name] }) => /^(?:filters|status|locale|_q|publicationFilter|has)/.test(name)),
  });
}

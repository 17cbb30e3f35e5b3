import type { Freshness } from '../../src/content/registry/content-source.ts';

/** The freshness of a source that has not been read, with other values in place of some. */
export function freshnessOf(source: string, others: Partial<Freshness> = {}): Freshness {
  return {
    source,
    readAt: null,
    lag: null,
    error: null,
    failuresInARow: 0,
    failures: 0,
    batches: 0,
    reloads: 0,
    ...others,
  };
}

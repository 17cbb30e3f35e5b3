import type { Freshness } from '../../content/registry/content-source.ts';
import { metric, type ScrapedMetric } from './scraped-metric.ts';
import type { ServerState } from './server-state.ts';

/** Returns the metrics of contents that follow a source. There are no samples of other contents. */
export function sourceMetrics({ sources }: ServerState): ScrapedMetric[] {
  const of = (type: 'counter' | 'gauge', name: string, help: string, read: (freshness: Freshness) => number | null) =>
    metric(type, name, help, () =>
      sources().flatMap(([content, freshness]) => {
        const value = read(freshness);
        return value === null ? [] : [{ labels: { content }, value }];
      }),
    );
  const age = ({ readAt }: Freshness) => (readAt === null ? null : Math.max(0, (Date.now() - readAt) / 1000));
  return [
    of('gauge', 'lectern_source_age_seconds', 'Time since the source was read, or found to be unchanged', age),
    of(
      'gauge',
      'lectern_source_lag_seconds',
      'Time from the last change of the source until it was served',
      ({ lag }) => (lag === null ? null : lag / 1000),
    ),
    of(
      'gauge',
      'lectern_source_failures_in_a_row',
      'Failures since the source was read',
      (freshness) => freshness.failuresInARow,
    ),
    of('counter', 'lectern_source_errors_total', 'Failures to read the source', ({ failures }) => failures),
    of('counter', 'lectern_source_batches_total', 'Batches of changes from the source', ({ batches }) => batches),
    of(
      'counter',
      'lectern_source_reloads_total',
      'Contents that were read whole again and were new',
      ({ reloads }) => reloads,
    ),
  ];
}

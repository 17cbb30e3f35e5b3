/**
 * The metrics that are read from the state of the server on each scrape. Their order is that of the reply. If several
 * threads serve, `first` marks those of the whole process, which the coordinating thread knows. All others are added
 * up.
 */

import type { Freshness } from '../../content/registry/content-source.ts';
import { changeMetrics, eventMetrics, reloadMetrics, webhookMetrics } from './change-metrics.ts';
import { ageMetrics, cacheMetrics, compactionMetrics, contentMetrics, pinMetrics } from './content-metrics.ts';
import type { RequestTimes } from './request-times.ts';
import { byLabel, counter, gauge, metric, ofThread, type ScrapedMetric } from './scraped-metric.ts';
import type { ServerState } from './server-state.ts';

/** Returns the metrics. Those of the rate limit are left out if there is none. */
export function scrapedMetrics(state: ServerState, times: RequestTimes): ScrapedMetric[] {
  const replies = 'Replies by status';
  const lostLines = 'Log lines that could not be written, because the disk is full or the pipe is closed';
  const refused = 'Requests answered with 503 because the queue was full';
  return [
    ...ofThread(
      metric('counter', 'lectern_http_replies_total', replies, () => byLabel('status', times.countsByStatus())),
    ),
    counter('lectern_log_lost_lines_total', lostLines, () => state.lostLogLines()),
    gauge('lectern_ready', 'Whether content is served: 1 or 0', () => Number(state.isReady())),
    ...ofThread(
      gauge('lectern_connections', 'Open connections', () => state.connections()),
      gauge('lectern_http_waiting_requests', 'Requests in the queue', () => state.queue().waiting),
      gauge('lectern_http_waiting_bytes', 'Memory of queued requests in bytes', () => state.queue().waitingBytes),
      counter('lectern_http_refused_requests_total', refused, () => state.queue().refused),
      gauge('lectern_unsent_bytes', 'Bytes of large replies, before compression, that are not yet sent', () =>
        state.unsentBytes(),
      ),
    ),
    ...contentMetrics(state),
    ...compactionMetrics(state),
    ...pinMetrics(state),
    ...reloadMetrics(state),
    ...changeMetrics(state),
    ...sourceMetrics(state),
    ...limitMetrics(state),
    ...eventMetrics(state),
    ...webhookMetrics(state),
    ...threadMetrics(state),
    ...ofThread(...codecMetrics(state)),
    ...ageMetrics(state),
    ...ofThread(...cacheMetrics(state)),
  ];
}

function limitMetrics({ limitedAddresses }: ServerState): ScrapedMetric[] {
  if (!limitedAddresses) return [];
  const addresses = 'Client addresses with a rate limit counter of their own';
  const shared = 'Requests counted in a shared rate limit counter, because there are too many addresses';
  return [
    gauge('lectern_rate_limit_addresses', addresses, () => limitedAddresses().addresses),
    counter('lectern_rate_limit_shared_total', shared, () => limitedAddresses().shared),
  ];
}

function threadMetrics({ threads }: ServerState): ScrapedMetric[] {
  if (!threads) return [];
  return [
    gauge('lectern_threads', 'Threads that answer requests', () => threads().answering),
    counter('lectern_threads_restarted_total', 'Threads that ended unexpectedly', () => threads().restarted),
  ];
}

function codecMetrics({ codecs }: ServerState): ScrapedMetric[] {
  const compressions = 'Replies being compressed or queued for compression';
  const skipped = 'Replies not compressed because the queue was full (full) or the clients had disconnected (gone)';
  return [
    metric('gauge', 'lectern_compressions', compressions, () => {
      const { running, waiting } = codecs();
      return byLabel('state', Object.entries({ running, waiting }));
    }),
    metric('counter', 'lectern_compressions_skipped_total', skipped, () => {
      const { full, gone } = codecs();
      return byLabel('reason', Object.entries({ full, gone }));
    }),
  ];
}

/** Returns the metrics of contents that follow a source. There are no samples of other contents. */
function sourceMetrics({ sources }: ServerState): ScrapedMetric[] {
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

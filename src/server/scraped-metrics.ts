/**
 * The metrics that are read from the state of the server on each scrape. Their order is that of the reply. If several
 * threads serve, `first` marks those of the whole process, which the coordinating thread knows. All others are added
 * up.
 */
import type { CompactionFigures } from '../content/compactions.ts';
import type { CacheStatistics } from '../engine/byte-bounded-cache.ts';
import type { CodecFigures } from '../http/codec-pool.ts';
import type { ChangeFigures } from '../live/content-changes.ts';
import { readBuild } from './build-info.ts';
import type { EventFigures } from './events/event-streams.ts';
import type { WebhookFigures } from './events/webhook.ts';
import type { RateLimitFigures } from './rate-limit-store.ts';
import type { ReloadFigures } from './reload/reloads.ts';
import type { QueueFigures } from './request-queue.ts';
import type { RequestTimes } from './request-times.ts';

/** The interface of content that the metrics use. */
export interface MeasuredContent {
  readonly summary: {
    version: string;
    dialect: string;
    types: { entries: number }[];
    components: number;
    loadMilliseconds: number;
    loadedAt: string;
    updatedAt: string | null;
    warnings: readonly { kind: string; count: number }[];
  };
  readonly cacheFigures: Record<string, CacheStatistics>;
  readonly compactionFigures: CompactionFigures;
}

/** The state of the server. */
export interface ServerState {
  /** Returns the contents with their names, none until the first is loaded. */
  contents(): readonly (readonly [name: string, content: MeasuredContent])[];
  /** Whether metrics are labelled with the name of their content even if it is the only one. */
  readonly labelsAll: boolean;
  isReady(): boolean;
  connections(): number;
  unsentBytes(): number;
  lostLogLines(): number;
  codecs(): CodecFigures;
  queue(): QueueFigures;
  reloads(): ReloadFigures;
  /** Null without an admin port. */
  readonly events: (() => EventFigures) | null;
  /** Null without a webhook. */
  readonly webhook: (() => WebhookFigures) | null;
  /** Returns the changes to each content with its name. Empty in a thread whose contents another thread changes. */
  changes(): readonly (readonly [name: string, changes: ChangeFigures])[];
  /** Null if there is no rate limit. */
  readonly limitedAddresses: (() => RateLimitFigures) | null;
  /** Null if one thread does everything. */
  readonly threads: (() => ThreadFigures) | null;
}

/** The threads that answer requests. */
export interface ThreadFigures {
  readonly answering: number;
  /** Threads that ended unexpectedly and were replaced, since the start. */
  readonly restarted: number;
}

interface Sample {
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

/** A metric with the part of prom-client's interface that its registry uses. */
export interface ScrapedMetric {
  readonly name: string;
  get(): object;
}

function metric(type: 'counter' | 'gauge', name: string, help: string, read: () => Sample[]): ScrapedMetric {
  return { name, get: () => ({ name, help, type, aggregator: 'first', values: read() }) };
}

/** Marks metrics as those of one thread. */
function ofThread(...metrics: ScrapedMetric[]): ScrapedMetric[] {
  return metrics.map(({ name, get }) => ({ name, get: () => ({ ...get(), aggregator: 'sum' }) }));
}

/** Returns a sample for each value of a label. */
function byLabel(label: string, values: Iterable<readonly [string | number, number]>): Sample[] {
  return Array.from(values, ([key, value]) => ({ labels: { [label]: key }, value }));
}

/** A value without labels. Undefined gives no sample. */
function single(value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}

/** Returns the samples of each content, labelled with its name if there are several or `labelsAll` is set. */
function ofContents({ contents, labelsAll }: ServerState, read: (content: MeasuredContent) => Sample[]): Sample[] {
  const all = contents();
  if (all.length === 1 && !labelsAll) return read(all[0][1]);
  return all.flatMap(([name, content]) =>
    read(content).map(({ labels, value }) => ({ labels: { content: name, ...labels }, value })),
  );
}

function gauge(name: string, help: string, read: () => number | undefined): ScrapedMetric {
  return metric('gauge', name, help, () => single(read()));
}

function counter(name: string, help: string, read: () => number): ScrapedMetric {
  return metric('counter', name, help, () => single(read()));
}

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
    ...reloadMetrics(state),
    ...changeMetrics(state),
    ...limitMetrics(state),
    ...eventMetrics(state),
    ...webhookMetrics(state),
    ...threadMetrics(state),
    ...ofThread(...codecMetrics(state)),
    ...ageMetrics(state),
    ...ofThread(...cacheMetrics(state)),
  ];
}

function contentMetrics(state: ServerState): ScrapedMetric[] {
  const gaugeOf = (name: string, help: string, read: (summary: MeasuredContent['summary']) => Sample[]) =>
    metric('gauge', name, help, () => ofContents(state, ({ summary }) => read(summary)));
  return [
    gaugeOf('lectern_entries', 'Entries of all content types', ({ types }) =>
      single(types.reduce((total, { entries }) => total + entries, 0)),
    ),
    gaugeOf('lectern_components', 'Components inside entries', ({ components }) => single(components)),
    gaugeOf('lectern_load_seconds', 'Time to load the snapshot', ({ loadMilliseconds }) =>
      single(loadMilliseconds / 1000),
    ),
    gaugeOf(
      'lectern_snapshot_warnings',
      'Warnings about the snapshot, settings and uploaded files, by kind',
      ({ warnings }) => {
        const counts = new Map<string, number>();
        for (const { kind, count } of warnings) counts.set(kind, (counts.get(kind) ?? 0) + count);
        return byLabel('kind', counts);
      },
    ),
    gaugeOf('lectern_snapshot_info', 'The served snapshot. Always 1', ({ version, dialect }) => [
      { labels: { version, dialect }, value: 1 },
    ]),
  ];
}

function compactionMetrics(state: ServerState): ScrapedMetric[] {
  return [
    metric('counter', 'lectern_compactions_total', 'Compactions by result: finished, abandoned or failed', () =>
      ofContents(state, ({ compactionFigures }) => byLabel('result', Object.entries(compactionFigures.counts))),
    ),
    metric('gauge', 'lectern_compaction_failed', 'Whether the last compaction failed: 1 or 0', () =>
      ofContents(state, ({ compactionFigures }) => single(Number(compactionFigures.failure !== null))),
    ),
    metric('gauge', 'lectern_compaction_seconds', 'Duration of the last compaction', () =>
      ofContents(state, ({ compactionFigures: { milliseconds } }) =>
        single(milliseconds === null ? undefined : milliseconds / 1000),
      ),
    ),
  ];
}

function reloadMetrics({ reloads }: ServerState): ScrapedMetric[] {
  return [
    metric('counter', 'lectern_reloads_total', 'Reloads by result: replaced, unchanged or failed', () =>
      byLabel('result', Object.entries(reloads().counts)),
    ),
    gauge('lectern_reload_failed', 'Whether the last reload failed: 1 or 0', () => Number(reloads().failure !== null)),
    gauge('lectern_reload_seconds', 'Duration of the last reload', () => {
      const { milliseconds } = reloads();
      return milliseconds === null ? undefined : milliseconds / 1000;
    }),
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

function eventMetrics({ events }: ServerState): ScrapedMetric[] {
  if (!events) return [];
  return [
    gauge('lectern_event_readers', 'Readers connected to /_events', () => events().readers),
    counter('lectern_events_sent_total', 'Events sent, counted for each reader', () => events().sent),
  ];
}

function webhookMetrics({ webhook }: ServerState): ScrapedMetric[] {
  if (!webhook) return [];
  return [
    gauge('lectern_webhook_waiting', 'Events that wait for the webhook', () => webhook().waiting),
    counter('lectern_webhook_sent_total', 'Events that the webhook took', () => webhook().sent),
    counter('lectern_webhook_failures_total', 'Tries at which the webhook failed', () => webhook().failed),
  ];
}

function threadMetrics({ threads }: ServerState): ScrapedMetric[] {
  if (!threads) return [];
  return [
    gauge('lectern_threads', 'Threads that answer requests', () => threads().answering),
    counter('lectern_threads_restarted_total', 'Threads that ended unexpectedly', () => threads().restarted),
  ];
}

function changeMetrics({ changes }: ServerState): ScrapedMetric[] {
  const ofContents = (read: (figures: ChangeFigures) => Sample[]) => () => {
    const all = changes();
    if (all.length === 1) return read(all[0][1]);
    return all.flatMap(([name, figures]) =>
      read(figures).map(({ labels, value }) => ({ labels: { content: name, ...labels }, value })),
    );
  };
  const refused =
    'Batches that were not applied: wrong (invalid), for another version (conflict) or not written (journal)';
  const age = ({ lastChange }: ChangeFigures) => (lastChange === null ? undefined : (Date.now() - lastChange) / 1000);
  return [
    metric(
      'counter',
      'lectern_changes_batches_total',
      'Batches of changes that were applied',
      ofContents(({ batches }) => single(batches)),
    ),
    metric(
      'counter',
      'lectern_changes_entries_total',
      'Entries that batches wrote or deleted',
      ofContents(({ entities }) => single(entities)),
    ),
    metric(
      'counter',
      'lectern_changes_refused_total',
      refused,
      ofContents(({ failures }) => byLabel('reason', Object.entries(failures))),
    ),
    metric(
      'gauge',
      'lectern_changes_sequence',
      'The number of the last batch since the base of the content',
      ofContents(({ sequence }) => single(sequence)),
    ),
    metric(
      'gauge',
      'lectern_changes_age_seconds',
      'Time since the last batch was applied',
      ofContents((figures) => single(age(figures))),
    ),
    metric(
      'gauge',
      'lectern_journal_bytes',
      'Size of the journal',
      ofContents(({ journal }) => single(journal?.bytes)),
    ),
    metric(
      'gauge',
      'lectern_journal_failed',
      'Whether the journal takes no more changes until the server starts again: 1 or 0',
      ofContents(({ journal }) => single(journal ? Number(journal.failure !== null) : undefined)),
    ),
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

function ageMetrics(state: ServerState): ScrapedMetric[] {
  const { version, node, commit } = readBuild();
  const age = (time: string) => (Date.now() - Date.parse(time)) / 1000;
  const ages = 'Time since the content was loaded, and since its newest updatedAt';
  return [
    metric('gauge', 'lectern_content_age_seconds', ages, () =>
      ofContents(state, ({ summary: { loadedAt, updatedAt } }) => [
        ...byLabel('since', [['loaded', age(loadedAt)]]),
        ...(updatedAt ? byLabel('since', [['updated', age(updatedAt)]]) : []),
      ]),
    ),
    metric('gauge', 'lectern_build_info', 'The version of the running server. Always 1', () => [
      { labels: { version, node, commit }, value: 1 },
    ]),
  ];
}

/** Labels of caches that have another name in the code. */
const cacheLabels: Record<string, string> = { preparedQueries: 'templates', derived: 'ready' };

function cacheMetrics(state: ServerState): ScrapedMetric[] {
  const caches =
    'by cache: replies by URL and by query, row sets, prepared queries, rows by status and locale, compressed bodies';
  const figures = (figure: keyof CacheStatistics) => () =>
    ofContents(state, ({ cacheFigures }) =>
      byLabel(
        'cache',
        Object.entries(cacheFigures).map(([cache, values]) => [cacheLabels[cache] ?? cache, values[figure]] as const),
      ),
    );
  return [
    metric('counter', 'lectern_cache_hits_total', `Cache hits, ${caches}`, figures('hits')),
    metric('counter', 'lectern_cache_misses_total', `Cache misses, ${caches}`, figures('misses')),
    metric('gauge', 'lectern_cache_bytes', `Cached bytes, ${caches}`, figures('bytes')),
  ];
}

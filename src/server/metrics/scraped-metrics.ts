/**
 * The metrics that are read from the state of the server on each scrape, in the order of the reply. If several threads
 * serve, those of the process are known to the coordinating thread, and those of threads are added up.
 */
import type { ChangeFigures } from '../../content/live/change-writer.ts';
import type { Freshness } from '../../content/registry/content-source.ts';
import type { CompactionFigures } from '../../content/versions/compactions.ts';
import type { CacheStatistics } from '../../engine/caches/byte-bounded-cache.ts';
import { readBuild } from '../build-info.ts';
import {
  byLabel,
  labelled,
  ofProcess,
  ofThread,
  type Reading,
  type Sample,
  type ScrapedMetric,
  seconds,
  secondsSince,
} from './readings.ts';
import type { RequestTimes } from './request-times.ts';
import type { MeasuredContent, ServerState } from './server-state.ts';

/** Labels of caches that have another name in the code. */
const cacheLabels: Record<string, string> = { preparedQueries: 'templates', derived: 'ready' };

const cacheNames =
  'by cache: replies by URL and by query, row sets, prepared queries, rows by status and locale, compressed bodies';

/** Returns the metrics. Those of what the server does not have are left out, such as a rate limit. */
export function scrapedMetrics(state: ServerState, times: RequestTimes): ScrapedMetric[] {
  const { queue, codecs, reloads, events, webhook, threads, limitedAddresses } = state;
  const contents = (read: (content: MeasuredContent) => Reading) => () =>
    labelled(state.contents(), state.labelsAll, read);
  const summaries = (read: (summary: MeasuredContent['summary']) => Reading) =>
    contents(({ summary }) => read(summary));
  const changes = (read: (figures: ChangeFigures) => Reading) => () => labelled(state.changes(), false, read);
  const sources = (read: (freshness: Freshness) => Reading) => () => labelled(state.sources(), true, read);
  const caches = (figure: keyof CacheStatistics) =>
    contents(({ cacheFigures }) =>
      byLabel(
        'cache',
        Object.entries(cacheFigures).map(([cache, values]) => [cacheLabels[cache] ?? cache, values[figure]] as const),
      ),
    );
  const journal = (read: (journal: NonNullable<ChangeFigures['journal']>) => Reading) =>
    changes((figures) => figures.journal && read(figures.journal));
  const results = ({ counts }: CompactionFigures) => byLabel('result', Object.entries(counts));
  return [
    ...ofThread([
      'counter',
      'lectern_http_replies_total',
      'Replies by status',
      () => byLabel('status', times.countsByStatus()),
    ]),
    ...ofProcess(
      [
        'counter',
        'lectern_log_lost_lines_total',
        'Log lines that could not be written, because the disk is full or the pipe is closed',
        () => state.lostLogLines(),
      ],
      ['gauge', 'lectern_ready', 'Whether content is served: 1 or 0', () => state.isReady()],
    ),
    ...ofThread(
      ['gauge', 'lectern_connections', 'Open connections', () => state.connections()],
      ['gauge', 'lectern_http_waiting_requests', 'Requests in the queue', () => queue().waiting],
      ['gauge', 'lectern_http_waiting_bytes', 'Memory of queued requests in bytes', () => queue().waitingBytes],
      [
        'counter',
        'lectern_http_refused_requests_total',
        'Requests answered with 503 because the queue was full',
        () => queue().refused,
      ],
      [
        'gauge',
        'lectern_unsent_bytes',
        'Bytes of large replies, before compression, that are not yet sent',
        () => state.unsentBytes(),
      ],
    ),
    ...ofProcess(
      [
        'gauge',
        'lectern_entries',
        'Entries of all content types',
        summaries(({ types }) => types.reduce((total, { entries }) => total + entries, 0)),
      ],
      ['gauge', 'lectern_components', 'Components inside entries', summaries(({ components }) => components)],
      [
        'gauge',
        'lectern_load_seconds',
        'Time to load the snapshot',
        summaries(({ loadMilliseconds }) => loadMilliseconds / 1000),
      ],
      [
        'gauge',
        'lectern_snapshot_warnings',
        'Warnings about the snapshot, settings and uploaded files, by kind',
        summaries(({ warnings }) => byLabel('kind', countsByKind(warnings))),
      ],
      [
        'gauge',
        'lectern_snapshot_info',
        'The served snapshot. Always 1',
        summaries(({ version, dialect }) => [{ labels: { version, dialect }, value: 1 }]),
      ],
      [
        'counter',
        'lectern_compactions_total',
        'Compactions by result: finished, abandoned or failed',
        contents(({ compactionFigures }) => results(compactionFigures)),
      ],
      [
        'gauge',
        'lectern_compaction_failed',
        'Whether the last compaction failed: 1 or 0',
        contents(({ compactionFigures }) => compactionFigures.failure !== null),
      ],
      [
        'gauge',
        'lectern_compaction_seconds',
        'Duration of the last compaction',
        contents(({ compactionFigures }) => seconds(compactionFigures.milliseconds)),
      ],
      [
        'gauge',
        'lectern_pinned',
        'Whether serving is pinned to a version: 1 or 0',
        contents(({ versions }) => versions.pinned !== null),
      ],
      [
        'gauge',
        'lectern_pinned_seconds',
        'Time since the version was pinned',
        contents(({ versions }) => versions.pinned && secondsSince(Date.parse(versions.pinned.since))),
      ],
      [
        'gauge',
        'lectern_earlier_bytes',
        'Bytes of earlier versions that can be pinned',
        contents(({ versions }) => versions.earlierBytes),
      ],
      [
        'counter',
        'lectern_reloads_total',
        'Reloads by result: replaced, unchanged or failed',
        () => byLabel('result', Object.entries(reloads().counts)),
      ],
      ['gauge', 'lectern_reload_failed', 'Whether the last reload failed: 1 or 0', () => reloads().failure !== null],
      ['gauge', 'lectern_reload_seconds', 'Duration of the last reload', () => seconds(reloads().milliseconds)],
      [
        'counter',
        'lectern_changes_batches_total',
        'Batches of changes that were applied',
        changes(({ batches }) => batches),
      ],
      [
        'counter',
        'lectern_changes_entries_total',
        'Entries that batches wrote or deleted',
        changes(({ entities }) => entities),
      ],
      [
        'counter',
        'lectern_changes_refused_total',
        'Batches that were not applied: wrong (invalid), for another version (conflict) or not written (journal)',
        changes(({ failures }) => byLabel('reason', Object.entries(failures))),
      ],
      [
        'gauge',
        'lectern_changes_sequence',
        'The number of the last batch since the base of the content',
        changes(({ sequence }) => sequence),
      ],
      [
        'gauge',
        'lectern_changes_age_seconds',
        'Time since the last batch was applied',
        changes(({ lastChange }) => secondsSince(lastChange)),
      ],
      ['gauge', 'lectern_journal_bytes', 'Size of the journal', journal(({ bytes }) => bytes)],
      [
        'gauge',
        'lectern_journal_failed',
        'Whether the journal takes no more changes until the server starts again: 1 or 0',
        journal(({ failure }) => failure !== null),
      ],
      [
        'counter',
        'lectern_journal_compactions_total',
        'Compactions of the journal by result: finished, abandoned or failed',
        journal(({ compactions }) => results(compactions)),
      ],
      [
        'gauge',
        'lectern_journal_compaction_failed',
        'Whether the last compaction of the journal failed: 1 or 0',
        journal(({ compactions }) => compactions.failure !== null),
      ],
      [
        'gauge',
        'lectern_journal_compaction_seconds',
        'Duration of the last compaction of the journal',
        journal(({ compactions }) => seconds(compactions.milliseconds)),
      ],
      [
        'gauge',
        'lectern_source_age_seconds',
        'Time since the source was read, or found to be unchanged',
        sources(({ readAt }) => secondsSince(readAt)),
      ],
      [
        'gauge',
        'lectern_source_lag_seconds',
        'Time from the last change of the source until it was served',
        sources(({ lag }) => seconds(lag)),
      ],
      [
        'gauge',
        'lectern_source_failures_in_a_row',
        'Failures since the source was read',
        sources((freshness) => freshness.failuresInARow),
      ],
      ['counter', 'lectern_source_errors_total', 'Failures to read the source', sources(({ failures }) => failures)],
      [
        'counter',
        'lectern_source_batches_total',
        'Batches of changes from the source',
        sources(({ batches }) => batches),
      ],
      [
        'counter',
        'lectern_source_reloads_total',
        'Contents that were read whole again and were new',
        sources((freshness) => freshness.reloads),
      ],
    ),
    ...(limitedAddresses
      ? ofProcess(
          [
            'gauge',
            'lectern_rate_limit_addresses',
            'Client addresses with a rate limit counter of their own',
            () => limitedAddresses().addresses,
          ],
          [
            'counter',
            'lectern_rate_limit_shared_total',
            'Requests counted in a shared rate limit counter, because there are too many addresses',
            () => limitedAddresses().shared,
          ],
        )
      : []),
    ...(events
      ? ofProcess(
          ['gauge', 'lectern_event_readers', 'Readers connected to /_events', () => events().readers],
          ['counter', 'lectern_events_sent_total', 'Events sent, counted for each reader', () => events().sent],
        )
      : []),
    ...(webhook
      ? ofProcess(
          ['gauge', 'lectern_webhook_waiting', 'Events that wait for the webhook', () => webhook().waiting],
          ['counter', 'lectern_webhook_sent_total', 'Events that the webhook took', () => webhook().sent],
          ['counter', 'lectern_webhook_failures_total', 'Tries at which the webhook failed', () => webhook().failed],
        )
      : []),
    ...(threads
      ? ofProcess(
          ['gauge', 'lectern_threads', 'Threads that answer requests', () => threads().answering],
          ['counter', 'lectern_threads_restarted_total', 'Threads that ended unexpectedly', () => threads().restarted],
        )
      : []),
    ...ofThread(
      [
        'gauge',
        'lectern_compressions',
        'Replies being compressed or queued for compression',
        () => byLabel('state', Object.entries(pick(codecs(), 'running', 'waiting'))),
      ],
      [
        'counter',
        'lectern_compressions_skipped_total',
        'Replies not compressed because the queue was full (full) or the clients had disconnected (gone)',
        () => byLabel('reason', Object.entries(pick(codecs(), 'full', 'gone'))),
      ],
    ),
    ...ofProcess(
      [
        'gauge',
        'lectern_content_age_seconds',
        'Time since the content was loaded, and since its newest updatedAt',
        summaries(ages),
      ],
      ['gauge', 'lectern_build_info', 'The version of the running server. Always 1', buildInfo],
    ),
    ...ofThread(
      ['counter', 'lectern_cache_hits_total', `Cache hits, ${cacheNames}`, caches('hits')],
      ['counter', 'lectern_cache_misses_total', `Cache misses, ${cacheNames}`, caches('misses')],
      ['gauge', 'lectern_cache_bytes', `Cached bytes, ${cacheNames}`, caches('bytes')],
    ),
  ];
}

function countsByKind(warnings: MeasuredContent['summary']['warnings']): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, count } of warnings) counts.set(kind, (counts.get(kind) ?? 0) + count);
  return counts;
}

function ages({ loadedAt, updatedAt }: MeasuredContent['summary']): Sample[] {
  const times = { loaded: loadedAt, ...(updatedAt && { updated: updatedAt }) };
  const now = Date.now();
  return byLabel(
    'since',
    Object.entries(times).map(([since, time]) => [since, (now - Date.parse(time)) / 1000] as const),
  );
}

function buildInfo(): Sample[] {
  const { version, node, commit } = readBuild();
  return [{ labels: { version, node, commit }, value: 1 }];
}

function pick<Figures, Key extends keyof Figures>(figures: Figures, ...keys: Key[]): Pick<Figures, Key> {
  return Object.fromEntries(keys.map((key) => [key, figures[key]])) as Pick<Figures, Key>;
}

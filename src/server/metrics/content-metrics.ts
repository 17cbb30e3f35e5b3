import type { ChangeFigures } from '../../content/live/change-writer.ts';
import type { Freshness } from '../../content/registry/content-source.ts';
import type { CompactionFigures } from '../../content/versions/compactions.ts';
import type { CacheStatistics } from '../../core/byte-bounded-cache.ts';
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
import type { MeasuredContent, ServerState } from './server-state.ts';

/** Labels of caches that have another name in the code. */
const cacheLabels: Record<string, string> = { preparedQueries: 'templates', derived: 'ready' };

const cacheNames =
  'by cache: replies by URL and by query, row sets, prepared queries, rows by status and locale, compressed bodies';

/** Returns the metrics of contents, labelled with the name of each if there are several. */
export function contentMetrics(state: ServerState): ScrapedMetric[] {
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
    ...ofProcess(
      [
        'lectern_entries',
        'Entries of all content types',
        summaries(({ types }) => types.reduce((total, { entries }) => total + entries, 0)),
      ],
      ['lectern_components', 'Components inside entries', summaries(({ components }) => components)],
      [
        'lectern_load_seconds',
        'Time to load the snapshot',
        summaries(({ loadMilliseconds }) => loadMilliseconds / 1000),
      ],
      [
        'lectern_snapshot_warnings',
        'Warnings about the snapshot, settings and uploaded files, by kind',
        summaries(({ warnings }) => byLabel('kind', countsByKind(warnings))),
      ],
      [
        'lectern_snapshot_info',
        'The served snapshot. Always 1',
        summaries(({ version, dialect }) => [{ labels: { version, dialect }, value: 1 }]),
      ],
      [
        'lectern_compactions_total',
        'Compactions by result: finished, abandoned or failed',
        contents(({ compactionFigures }) => results(compactionFigures)),
      ],
      [
        'lectern_compaction_failed',
        'Whether the last compaction failed: 1 or 0',
        contents(({ compactionFigures }) => compactionFigures.failure !== null),
      ],
      [
        'lectern_compaction_seconds',
        'Duration of the last compaction',
        contents(({ compactionFigures }) => seconds(compactionFigures.milliseconds)),
      ],
      ['lectern_pinned', 'Whether serving is pinned to a version: 1 or 0', contents(({ pinned }) => pinned !== null)],
      [
        'lectern_pinned_seconds',
        'Time since the version was pinned',
        contents(({ pinned }) => pinned && secondsSince(Date.parse(pinned.since))),
      ],
      [
        'lectern_earlier_bytes',
        'Bytes of earlier versions that can be pinned',
        contents(({ earlierBytes }) => earlierBytes),
      ],
      [
        'lectern_content_age_seconds',
        'Time since the content was loaded, and since its newest updatedAt',
        summaries(ages),
      ],
      ['lectern_changes_batches_total', 'Batches of changes that were applied', changes(({ batches }) => batches)],
      ['lectern_changes_entries_total', 'Entries that batches wrote or deleted', changes(({ entities }) => entities)],
      [
        'lectern_changes_refused_total',
        'Batches that were not applied: wrong (invalid), for another version (conflict) not published (published) or not written (journal)',
        changes(({ failures }) => byLabel('reason', Object.entries(failures))),
      ],
      [
        'lectern_changes_sequence',
        'The number of the last batch since the base of the content',
        changes(({ sequence }) => sequence),
      ],
      [
        'lectern_changes_age_seconds',
        'Time since the last batch was applied',
        changes(({ lastChange }) => secondsSince(lastChange)),
      ],
      [
        'lectern_published',
        'Whether the publication has the content: 1 or 0. Absent without one',
        changes(({ published }) => published && published.failure === null),
      ],
      ['lectern_journal_bytes', 'Size of the journal', journal(({ bytes }) => bytes)],
      [
        'lectern_journal_failed',
        'Whether the journal takes no more changes until the server starts again: 1 or 0',
        journal(({ failure }) => failure !== null),
      ],
      [
        'lectern_journal_compactions_total',
        'Compactions of the journal by result: finished, abandoned or failed',
        journal(({ compactions }) => results(compactions)),
      ],
      [
        'lectern_journal_compaction_failed',
        'Whether the last compaction of the journal failed: 1 or 0',
        journal(({ compactions }) => compactions.failure !== null),
      ],
      [
        'lectern_journal_compaction_seconds',
        'Duration of the last compaction of the journal',
        journal(({ compactions }) => seconds(compactions.milliseconds)),
      ],
      [
        'lectern_source_age_seconds',
        'Time since the source was read, or found to be unchanged',
        sources(({ readAt }) => secondsSince(readAt)),
      ],
      [
        'lectern_source_lag_seconds',
        'Time from the last change of the source until it was served',
        sources(({ lag }) => seconds(lag)),
      ],
      [
        'lectern_source_failures_in_a_row',
        'Failures since the source was read',
        sources((freshness) => freshness.failuresInARow),
      ],
      ['lectern_source_errors_total', 'Failures to read the source', sources(({ failures }) => failures)],
      ['lectern_source_batches_total', 'Batches of changes from the source', sources(({ batches }) => batches)],
      [
        'lectern_source_reloads_total',
        'Contents that were read whole again and were new',
        sources((freshness) => freshness.reloads),
      ],
    ),
    ...ofThread(
      ['lectern_cache_hits_total', `Cache hits, ${cacheNames}`, caches('hits')],
      ['lectern_cache_misses_total', `Cache misses, ${cacheNames}`, caches('misses')],
      ['lectern_cache_bytes', `Cached bytes, ${cacheNames}`, caches('bytes')],
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

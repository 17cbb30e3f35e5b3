import type { CacheStatistics } from '../../engine/caches/byte-bounded-cache.ts';
import { readBuild } from '../build-info.ts';
import { byLabel, metric, ofContents, type Sample, type ScrapedMetric, single } from './scraped-metric.ts';
import type { MeasuredContent, ServerState } from './server-state.ts';

export function contentMetrics(state: ServerState): ScrapedMetric[] {
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

export function compactionMetrics(state: ServerState): ScrapedMetric[] {
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

export function pinMetrics(state: ServerState): ScrapedMetric[] {
  const age = (since: string) => (Date.now() - Date.parse(since)) / 1000;
  return [
    metric('gauge', 'lectern_pinned', 'Whether serving is pinned to a version: 1 or 0', () =>
      ofContents(state, ({ versions: { pinned } }) => single(Number(pinned !== null))),
    ),
    metric('gauge', 'lectern_pinned_seconds', 'Time since the version was pinned', () =>
      ofContents(state, ({ versions: { pinned } }) => single(pinned ? age(pinned.since) : undefined)),
    ),
    metric('gauge', 'lectern_earlier_bytes', 'Bytes of earlier versions that can be pinned', () =>
      ofContents(state, ({ versions }) => single(versions.earlierBytes)),
    ),
  ];
}

export function ageMetrics(state: ServerState): ScrapedMetric[] {
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

export function cacheMetrics(state: ServerState): ScrapedMetric[] {
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

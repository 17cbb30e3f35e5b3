import { bytesText, countText, millisecondsText } from '../../explorer/reply/amounts.ts';
import { type Sample, sumOf } from './metrics-text.ts';
import { durationText } from './times.ts';

/** A name and a value in words. */
export type Figure = readonly [name: string, value: string | null];

/** Returns what the metrics say about the process. Figures that they lack are null. */
export function processFigures(samples: readonly Sample[], now: number): Figure[] {
  const figure = (name: string, metric: string, textOf: (value: number) => string): Figure => {
    const value = sumOf(samples, metric);
    return [name, value === null ? null : textOf(value)];
  };
  const build = samples.find(({ name }) => name === 'lectern_build_info')?.labels;
  return [
    figure('running for', 'process_start_time_seconds', (start) => durationText(Math.max(0, now / 1000 - start))),
    // one thread does everything if there is no metric of threads
    ['threads', countText(sumOf(samples, 'lectern_threads') ?? 1)],
    figure('threads replaced', 'lectern_threads_restarted_total', countText),
    figure('event loop delay (p99)', 'nodejs_eventloop_lag_p99_seconds', (value) => millisecondsText(value * 1000)),
    figure('connections', 'lectern_connections', countText),
    figure('waiting requests', 'lectern_http_waiting_requests', countText),
    figure('refused requests', 'lectern_http_refused_requests_total', countText),
    [
      'version',
      build ? [build.version, build.commit?.slice(0, 12), `Node ${build.node}`].filter(Boolean).join(', ') : null,
    ],
  ];
}

/** Returns what takes memory, in bytes. `stores` are the bytes of all contents, if they are known. */
export function memoryFigures(samples: readonly Sample[], stores: number | null): Figure[] {
  const bytes = (metric: string) => sumOf(samples, metric);
  const figures: [string, number | null][] = [
    ['process', bytes('process_resident_memory_bytes')],
    ['contents', stores],
    ['earlier versions', bytes('lectern_earlier_bytes')],
    ['caches', bytes('lectern_cache_bytes')],
    ['heap in use', bytes('nodejs_heap_size_used_bytes')],
    ['outside the heap', bytes('nodejs_external_memory_bytes')],
    ['replies not yet sent', bytes('lectern_unsent_bytes')],
    ['journal, on disk', bytes('lectern_journal_bytes')],
  ];
  return figures.map(([name, value]) => [name, value === null ? null : bytesText(value)]);
}

/** A cache of all contents together. */
export interface CacheFigures {
  readonly name: string;
  readonly bytes: number;
  /** The part of the look-ups that were hits, from 0 to 1; null before the first. */
  readonly hitRate: number | null;
}

export function cacheFigures(samples: readonly Sample[]): CacheFigures[] {
  const names = new Set(samples.flatMap(({ name, labels }) => (name === 'lectern_cache_bytes' ? [labels.cache] : [])));
  return Array.from(names, (name) => {
    const sum = (metric: string) =>
      sumOf(
        samples.filter(({ labels }) => labels.cache === name),
        metric,
      ) ?? 0;
    const hits = sum('lectern_cache_hits_total');
    const all = hits + sum('lectern_cache_misses_total');
    return { name, bytes: sum('lectern_cache_bytes'), hitRate: all === 0 ? null : hits / all };
  });
}

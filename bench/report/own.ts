import type { QueryResult } from '../inprocess/result.ts';
import type { OwnResult } from '../own/measure.ts';
import { median } from '../statistics.ts';
import { loadSections, ratioNote } from './http.ts';
import { queryReport } from './inprocess.ts';
import { digits, megabytes, table } from './markdown.ts';

/** Lectern over content and URLs of one's own. */
export function ownReport(result: OwnResult): string {
  return [
    ownTitle(result.snapshot),
    ...(result.queries.length > 0 ? [ownQueryReport(result)] : []),
    ...(result.http.length > 0 ? [ownHttpReport(result)] : []),
  ].join('\n\n');
}

export const ownTitle = (snapshot: string): string => `## Own content: ${snapshot}`;

/** Loading and queries in process. */
export function ownQueryReport({ loads, queries }: OwnResult): string {
  const of = (cost: (load: OwnResult['loads'][number]) => number) => median(loads.map(cost));
  const seconds = digits(of(({ milliseconds }) => milliseconds) / 1000);
  return [
    `Loaded in ${seconds} s. In use afterwards: ${megabytes(of(({ liveBytes }) => liveBytes))}; resident at most: ${megabytes(of(({ peakBytes }) => peakBytes))} more than before.`,
    ...queries.map(queryReport),
    slowestTable(queries),
  ].join('\n\n');
}

export function ownHttpReport({ http, service, differing }: OwnResult): string {
  return [
    `### Over HTTP\n\n32 connections. ${ratioNote('Lectern with its caches on')}`,
    ...loadSections(http),
    ...differing.map(
      ({ group, urls, count, first }) =>
        `**${group}**: ${count} of ${urls} answers of ${service} differ from those of Lectern. The first: \`${first}\``,
    ),
  ].join('\n\n');
}

/** By their medians with caches off. */
function slowestTable(queries: QueryResult[]): string {
  const times = queries.flatMap(({ urls = [], peers: [uncached] }) =>
    uncached.samples.map((time, set) => ({ url: urls[set], time: time ?? 0 })),
  );
  const slowest = times.sort((one, other) => other.time - one.time).slice(0, 5);
  return table(
    ['slowest URLs, caches off', 'median µs'],
    slowest.map(({ url, time }) => [`\`${url.replaceAll('|', '%7C')}\``, digits(time)]),
  );
}

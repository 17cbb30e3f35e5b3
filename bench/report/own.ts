import type { OwnLoad, OwnResult } from '../compare/own.ts';
import { median } from '../statistics.ts';
import { answersReport } from './compare.ts';
import { digits, megabytes, spreadOf, table, whole } from './markdown.ts';
import { isWide, ratioOver } from './ratio.ts';

/** Lectern over content and URLs of one's own. */
export function ownReport(result: OwnResult): string {
  return [
    ownTitle(result.snapshot),
    ...(result.loads.length > 0 ? [ownQueryReport(result, result.http.length === 0)] : []),
    ...(result.http.length > 0 ? [ownHttpReport(result)] : []),
  ].join('\n\n');
}

export const ownTitle = (snapshot: string): string => `## Own content: ${snapshot}`;

/** Loading and queries in process. What is said of the answers stands behind the last table. */
export function ownQueryReport(result: OwnResult, withAnswers = true): string {
  const said = withAnswers ? answersReport(result.answers, 'the other') : [];
  return [loadLine(result), queryTable(result), slowestTable(result), ...said].join('\n\n');
}

export function ownHttpReport({ http, service, answers }: OwnResult): string {
  const said = answersReport(answers, service ?? 'the other');
  return ['### Over HTTP', httpIntroduction(service), httpTable(http, service), ...said].join('\n\n');
}

function loadLine({ loads }: OwnResult): string {
  const of = (cost: (load: OwnResult['loads'][number]) => number) => median(loads.map(cost));
  const seconds = digits(of(({ milliseconds }) => milliseconds) / 1000);
  return `Loaded in ${seconds} s. In use afterwards: ${megabytes(of(({ liveBytes }) => liveBytes))}; at most resident: ${megabytes(of(({ peakBytes }) => peakBytes))}.`;
}

function queryTable({ queries, answers }: OwnResult): string {
  return table(
    ['in process', 'URLs', 'different answers', 'caches', 'median µs', 'p99 µs', 'spread of medians', 'bytes'],
    queries.map(({ group, caches, medians, p99s, medianBytes }) => {
      const check = answers.find((each) => each.group === group);
      return [
        group,
        check ? whole(check.urls) : '',
        check ? whole(check.distinct) : '',
        caches,
        digits(median(medians) * 1000),
        digits(median(p99s) * 1000),
        `${spreadOf(medians.map((milliseconds) => milliseconds * 1000))}${isWide(medians) ? ' ~' : ''}`,
        whole(medianBytes),
      ];
    }),
  );
}

function slowestTable({ slowest }: OwnResult): string {
  return table(
    ['slowest URLs, caches off', 'median µs'],
    slowest.map(({ url, median: time }) => [`\`${url.replaceAll('|', '%7C')}\``, digits(time * 1000)]),
  );
}

function httpIntroduction(service: string | null): string {
  const ratio = service ? `Ratio: time for a request over that of Lectern, in the same round. Above 1 is slower. ` : '';
  return `${ratio}~ marks rounds that differ too much to tell. 32 connections.`;
}

function httpTable(rows: OwnLoad[], service: string | null): string {
  const header = ['URLs', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'user time µs', 'errors'];
  return table(
    service ? [...header, 'ratio'] : header,
    rows.map(({ group, server, rounds }) => {
      const of = (value: (round: OwnLoad['rounds'][number]) => number) => median(rounds.map(value));
      const lectern = rows.find((row) => row.group === group)!;
      const user = rounds[0].userMilliseconds === null ? '-' : digits(of((round) => round.userMilliseconds!) * 1000);
      const cells = [
        group,
        server,
        whole(of(({ requestsPerSecond }) => requestsPerSecond)),
        digits(of(({ p50 }) => p50)),
        digits(of(({ p99 }) => p99)),
        user,
        whole(rounds.reduce((sum, { errors }) => sum + errors, 0)),
      ];
      const time = (round: OwnLoad['rounds'][number]) => 1 / round.requestsPerSecond;
      return service ? [...cells, ratioOver(rounds.map(time), lectern.rounds.map(time))] : cells;
    }),
  );
}

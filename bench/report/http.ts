import type { HttpResult, HttpRow, Round } from '../http/result.ts';
import { median } from '../statistics.ts';
import { digits, noNumber, ratioOver, table, whole, wideSpread } from './markdown.ts';

export function httpReport({ content, entries, client, seconds, rows, wrong }: HttpResult): string {
  return [
    `## Over HTTP: ${content}, ${whole(entries)} entries`,
    `${client}, ${seconds} s in each of ${rows[0].rounds.length} rounds. ${ratioNote('bare `node:http` that sends as many bytes')}`,
    ...loadSections(rows),
    ...wrong.map(
      (each) =>
        `${each.server} is not measured with "${each.load}". ${each.path}: ${each.difference} (here is Lectern).`,
    ),
  ].join('\n\n');
}

export function ratioNote(reference: string): string {
  return `The columns "time" and "processor time" are ratios for a request to ${reference}: above 1 is slower. ~ marks rounds that differ by more than ${wideSpread} times. "Failed" counts errors and requests that were not answered in time.`;
}

const headers = [
  'server',
  'time',
  'processor time',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'processor µs',
  'bytes',
  'failed',
];

/** A table for each load. */
export function loadSections(rows: HttpRow[]): string[] {
  const loads = [...new Set(rows.map(({ load }) => load))];
  return loads.map((load) => {
    const ofLoad = rows.filter((row) => row.load === load);
    return section(load, ofLoad);
  });
}

function section(load: string, rows: HttpRow[]): string {
  const [{ urls, answers = Number.NaN, bytes = Number.NaN }] = rows;
  const reference = rows.find(({ isReference }) => isReference)?.rounds;
  const late = Math.max(...rows.flatMap(({ rounds }) => rounds.map(({ lateMilliseconds = 0 }) => lateMilliseconds)));
  const lines = rows.map(({ server, rounds }) => {
    const all = (of: (round: Round) => number) => rounds.map(of);
    const ratio = (of: (round: Round) => number) => (reference ? ratioOver(all(of), reference.map(of)) : noNumber);
    const processor = ({ processorMilliseconds }: Round) => processorMilliseconds ?? Number.NaN;
    return [
      server,
      ratio(({ requestsPerSecond }) => 1 / requestsPerSecond),
      ratio(processor),
      whole(median(all(({ requestsPerSecond }) => requestsPerSecond))),
      digits(median(all(({ p50 }) => p50))),
      digits(median(all(({ p99 }) => p99))),
      digits(median(all(processor)) * 1000),
      whole(median(all(({ bytesPerReply }) => bytesPerReply))),
      whole(all(({ errors, unanswered = 0 }) => errors + unanswered).reduce((sum, failed) => sum + failed)),
    ];
  });
  return [
    `### ${load}`,
    ...(urls > 1 && bytes > 0
      ? [`${whole(urls)} URLs, ${whole(answers)} different bodies, ${whole(bytes / 1e6)} MB.`]
      : []),
    table(headers, lines),
    ...(late > 1 ? [`The client itself was up to ${digits(late)} ms late (p99): smaller latencies say nothing.`] : []),
  ].join('\n\n');
}

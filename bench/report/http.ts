import type { HttpResult, HttpRow, Round } from '../http/result.ts';
import { median } from '../statistics.ts';
import { digits, table, whole } from './markdown.ts';

/** Rounds of the same case that differ by more than this factor tell little. */
const wideSpread = 1.3;

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

export function httpReport({ content, entries, client, seconds, rows, wrong }: HttpResult): string {
  const loads = [...new Set(rows.map(({ load }) => load))];
  return [
    `## Over HTTP: ${content}, ${whole(entries)} entries`,
    `${client}, ${seconds} s in each of ${rows[0].rounds.length} rounds. The columns "time" and "processor time" are ratios for a request to bare \`node:http\` that sends as many bytes: above 1 is slower. ~ marks rounds that differ by more than ${wideSpread} times. "Failed" counts errors and requests that were not answered in time.`,
    ...loads.map((load) =>
      section(
        load,
        rows.filter((row) => row.load === load),
      ),
    ),
    ...wrong.map(
      (each) =>
        `${each.server} is not measured with "${each.load}". ${each.path}: ${each.difference} (here is Lectern).`,
    ),
  ].join('\n\n');
}

function section(load: string, rows: HttpRow[]): string {
  const [{ urls, answers, bytes }] = rows;
  const bare = rows.find(({ isReference }) => isReference);
  const late = Math.max(...rows.flatMap(({ rounds }) => rounds.map(({ lateMilliseconds = 0 }) => lateMilliseconds)));
  const lines = rows.map((row) => [
    row.server,
    ratio(row, bare, ({ requestsPerSecond }) => 1 / requestsPerSecond),
    ratio(row, bare, ({ processorMilliseconds }) => processorMilliseconds),
    whole(over(row, ({ requestsPerSecond }) => requestsPerSecond)),
    digits(over(row, ({ p50 }) => p50)),
    digits(over(row, ({ p99 }) => p99)),
    digits(over(row, ({ processorMilliseconds }) => processorMilliseconds) * 1000),
    whole(over(row, ({ bytesPerReply }) => bytesPerReply)),
    whole(row.rounds.reduce((sum, { errors, unanswered = 0 }) => sum + errors + unanswered, 0)),
  ]);
  return [
    `### ${load}`,
    ...(urls > 1 ? [`${whole(urls)} URLs, ${whole(answers)} different bodies, ${whole(bytes / 1e6)} MB.`] : []),
    table(headers, lines),
    ...(late > 1 ? [`The client itself was up to ${digits(late)} ms late (p99): smaller latencies say nothing.`] : []),
  ].join('\n\n');
}

/** The median over the rounds of a cost over that of the bare server, marked where the rounds differ much. */
function ratio({ rounds }: HttpRow, bare: HttpRow | undefined, cost: (round: Round) => number): string {
  if (!bare) return '-';
  const ratios = rounds.map((round, index) => cost(round) / cost(bare.rounds[index]));
  return `${digits(median(ratios))}${Math.max(...ratios) > wideSpread * Math.min(...ratios) ? ' ~' : ''}`;
}

function over({ rounds }: HttpRow, value: (round: Round) => number): number {
  return median(rounds.map(value));
}

import type { HttpResult, HttpRow } from '../http/result.ts';
import type { StrapiResult } from '../http/strapi.ts';
import { digits, table, whole } from './markdown.ts';

export function httpReport({ entries, client, seconds, rows }: HttpResult): string {
  const loads = [...new Set(rows.map(({ load }) => load))];
  return [
    `## Over HTTP: ${whole(entries)} entries, ${client}, 32 connections, ${seconds} s each`,
    'Ratio: requests a second over those of bare `node:http` with as many bytes, median over the rounds.',
    ...loads.map((load) => `### ${load}\n\n${httpTable(rows.filter((row) => row.load === load))}`),
  ].join('\n\n');
}

export function strapiReport({ client, rows, different }: StrapiResult): string {
  const loads = [...new Set(rows.map(({ load }) => load))];
  return [
    `## Strapi and Lectern on the same content: ${client}, 32 connections`,
    "Ratio: requests a second over Strapi's, median over the rounds. Lectern's caches are off.",
    ...loads.map((load) => `### \`${load}\`\n\n${httpTable(rows.filter((row) => row.load === load))}`),
    ...different.map((path) => `\`${path}\` is not timed: the two answer differently.`),
  ].join('\n\n');
}

function httpTable(rows: HttpRow[]): string {
  return table(
    ['server', 'bytes', 'requests/s', 'min-max', 'p50 ms', 'p99 ms', 'server CPU us/request', 'ratio', 'errors'],
    rows.map((row) => [
      row.server,
      whole(row.bytesPerReply),
      whole(row.requestsPerSecond),
      row.spread.map(whole).join('-'),
      digits(row.p50),
      digits(row.p99),
      row.processor === null ? '-' : digits(row.processor * 1000),
      row.ratio === null ? '1' : digits(row.ratio),
      whole(row.errors),
    ]),
  );
}

import { type InprocessResult, type Measure, meanRatio } from '../inprocess/result.ts';
import { httpReport } from './http.ts';
import { presentPeers, ratioTable, titleOf } from './inprocess.ts';
import { loadReport } from './load.ts';
import { machineLine } from './machine.ts';
import { digits, table, whole } from './markdown.ts';
import type { Results } from './results.ts';

/** The tables that documents hold, by the names of their markers. Null for what was not measured. */
export function summaries(results: Results): Record<string, string | null> {
  const { inprocess, http, load, machine, commit } = results;
  const orNull = (parts: string[]) => (parts.length > 0 ? parts.join('\n\n') : null);
  const of = commit ? `, commit ${commit.hash.slice(0, 7)}${commit.isChanged ? ' with changes' : ''}` : '';
  return {
    machine: `${machineLine(machine)}${of}.`,
    headline: inprocess.length > 0 ? meansTable(inprocess, ['median', 'p99']) : null,
    means: inprocess.length > 0 ? meansTable(inprocess, ['median', 'rate', 'p99']) : null,
    ratios: orNull(inprocess.map((result) => `**${nameOf(result)}**\n\n${ratioTable(result)}`)),
    http: orNull(http.map((result) => nested(httpReport(result)))),
    load: orNull(load.map((result) => nested(loadReport(result)))),
  };
}

/** How the documents call the three means. */
const titles: Record<Measure, string> = { median: 'median', rate: 'time a call', p99: '99th percentile' };

/** Geometric means over the queries of each content: a row for each peer, a column for each measure and content. */
function meansTable(results: InprocessResult[], measures: Measure[]): string {
  const columns = measures.flatMap((measure) => results.map((result) => ({ measure, result })));
  const rows = [...new Set(results.flatMap(presentPeers))].map((peer) => [
    titleOf(peer),
    ...columns.map(({ measure, result }) => {
      const mean = meanRatio(result, peer, measure);
      return mean === null ? '–' : digits(mean);
    }),
  ]);
  return table(['', ...columns.map(({ measure, result }) => `${titles[measure]}, ${result.content}`)], rows);
}

function nameOf({ content, entries, served }: InprocessResult): string {
  return `${content}, ${whole(entries)} entries, ${whole(served)} of them served of the main type`;
}

/** Headings stand below those of the document. */
function nested(markdown: string): string {
  return markdown.replace(/^##/gm, '####');
}

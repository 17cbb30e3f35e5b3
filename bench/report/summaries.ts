import { contents } from '../content/index.ts';
import type { InprocessResult } from '../inprocess/result.ts';
import { defaults } from '../options.ts';
import { httpReport } from './http.ts';
import { meanTable, type Named, ratioTable, tailTable } from './inprocess.ts';
import { loadReport } from './load.ts';
import { machineLine } from './machine.ts';
import { whole } from './markdown.ts';
import type { Results } from './results.ts';

/** The peers that the project's README shows, by what its readers call them. */
const headline: readonly Named[] = [
  ['lectern', 'Lectern'],
  ['sqlite-tuned-ready', 'SQLite in memory, SQL and indexes tuned by hand for each query, ready JSON'],
  ['sqlite-tuned', 'SQLite in memory, SQL and indexes tuned by hand for each query'],
  ['lokijs', 'LokiJS'],
  ['sqlite-generic', 'SQLite in memory, generic SQL'],
  ['plain-arrays', 'plain arrays'],
];

/** The tables that documents hold, by the names of their markers. Null for what was not measured. */
export function summaries(results: Results): Record<string, string | null> {
  const { inprocess, http, load } = results;
  const orNull = (parts: string[]) => (parts.length > 0 ? parts.join('\n\n') : null);
  return {
    machine: `${machineLine(results)}, ${effort(results)}.`,
    headline: inprocess.length > 0 ? meanTable(inprocess, ['median', 'p99'], headline) : null,
    means: inprocess.length > 0 ? meanTable(inprocess, ['median', 'rate', 'p99']) : null,
    tail: inprocess.length > 0 ? tailTable(inprocess, 'lectern') : null,
    ratios: orNull(inprocess.map((result) => `**${nameOf(result)}**\n\n${ratioTable(result)}`)),
    http: orNull(http.map((result) => nested(httpReport(result)))),
    load: orNull(load.map((result) => nested(loadReport(result)))),
  };
}

/** Says how long was measured. */
function effort({ options: { rounds, client, seconds } }: Results): string {
  return `${rounds} rounds, ${seconds} seconds of each load with ${client}`;
}

/**
 * Throws an error if the results are those of a trial, with fewer entries or sets than a run has by default, or with one
 * round, which shows no spread: its figures are not for documents.
 */
export function refuseTrial({ inprocess, http, load, options }: Results, file: string): void {
  const small = [...inprocess, ...http, ...load].flatMap(({ content, entries }) => {
    const usual = contents.find(({ name }) => name === content)?.entries ?? 0;
    return entries < usual ? [`${whole(entries)} entries of ${content} in place of ${whole(usual)}`] : [];
  });
  const few = options.sets < defaults.sets ? [`${options.sets} sets in place of ${defaults.sets}`] : [];
  const single = options.rounds < 2 ? ['one round, without spread'] : [];
  const reasons = [...new Set([...small, ...few, ...single])];
  if (reasons.length > 0)
    throw new Error(`option '--documents' is not for the results of a trial: ${file} has ${reasons.join(', ')}.`);
}

function nameOf({ content, entries, served }: InprocessResult): string {
  return `${content}, ${whole(entries)} entries, ${whole(served)} of them served of the main type`;
}

/** Moves headings below those of the document. */
function nested(markdown: string): string {
  return markdown.replace(/^##/gm, '###');
}

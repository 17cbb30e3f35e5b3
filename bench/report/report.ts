import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '../options.ts';
import { project } from '../program.ts';
import { compareReport } from './compare.ts';
import { rewriteTables } from './documents.ts';
import { httpReport } from './http.ts';
import { inprocessReport } from './inprocess.ts';
import { loadReport } from './load.ts';
import { machineLine, titleLine } from './machine.ts';
import { ownReport } from './own.ts';
import { ratioPicture } from './picture.ts';
import { type Results, readResults } from './results.ts';
import { refuseTrial, summaries } from './summaries.ts';

/** Prints the tables of a results file, and writes documents and picture if that is asked for. */
export function printReport(options: Options): void {
  const results = readResults(options.report!);
  const { compare, own } = results;
  if (options.documents) refuseTrial(results, options.report!);
  const sections = [
    titleLine(results),
    ...results.inprocess.map(inprocessReport),
    ...results.http.map(httpReport),
    ...results.load.map(loadReport),
    ...(compare ? [compareReport(compare)] : []),
    ...(own ? [ownReport(own)] : []),
  ];
  console.log(sections.join('\n\n'));
  if (options.documents) writeDocuments(results);
  drawPicture(options, results);
}

function writeDocuments(results: Results): void {
  const rewritten = ['README.md', 'bench/README.md', 'bench/results/README.md'].map((name) => {
    const file = join(project, name);
    return { name, file, ...rewriteTables(readFileSync(file, 'utf8'), summaries(results), name) };
  });
  for (const { name, file, text, written, kept } of rewritten) {
    writeFileSync(file, text);
    const left = kept.length > 0 ? `, left ${kept.join(', ')}` : '';
    console.error(`bench: ${name}: wrote ${written.join(', ') || 'no table'}${left}`);
  }
}

/** Draws the first content that was measured in process. */
export function drawPicture({ svg }: Options, results: Results): void {
  const [first] = results.inprocess;
  if (svg && first) writeFileSync(svg, ratioPicture(first, machineLine(results)));
}

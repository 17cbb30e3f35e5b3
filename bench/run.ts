/**
 * Measures Lectern beside other ways to answer the same queries:
 *
 *     npm run bench -- [--sizes 10000,100000] [--only inprocess,http,load] [--json FILE] …
 *
 * Tables go to stdout, progress to stderr. README.md in this folder says what is measured and how.
 */
import { writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { type Arguments, readArguments } from './arguments.ts';
import type { HttpTask } from './http/measure.ts';
import type { HttpResult } from './http/result.ts';
import { measureStrapi, type StrapiResult } from './http/strapi.ts';
import { measureInprocess } from './inprocess/measure.ts';
import type { InprocessResult } from './inprocess/result.ts';
import { type LoadResult, measureLoad } from './load/measure.ts';
import { buildProgram, installPackages, snapshotOf } from './prepare.ts';
import { growthReport } from './report/growth.ts';
import { httpReport, strapiReport } from './report/http.ts';
import { inprocessReport } from './report/inprocess.ts';
import { loadReport } from './report/load.ts';
import { type Machine, machineLine, thisMachine } from './report/machine.ts';
import { ratioPicture } from './report/picture.ts';
import { inOwnProcess } from './task.ts';

try {
  await run(readArguments());
} catch (error) {
  console.error(`bench: ${(error as Error).message}`);
  process.exitCode = 1;
}

async function run(options: Arguments): Promise<void> {
  installPackages();
  if (!options.built) buildProgram();
  const machine = thisMachine();
  const results: Results = { machine, options, inprocess: [], http: [], load: [] };
  console.log(`# Benchmarks of Lectern\n\n${machineLine(machine)}`);
  for (const entries of options.sizes) {
    const snapshot = snapshotOf(entries);
    const { queries, peers, sets, client, seconds, repeat } = options;
    if (options.parts.includes('inprocess')) {
      say(`in process, ${entries} entries`);
      const task = { snapshot, entries, queries, peers, sets, repeat, heapBytes: totalmem() };
      const result = await measureInprocess(task, say);
      results.inprocess.push(result);
      print(inprocessReport(result));
    }
    if (options.parts.includes('http')) {
      say(`over HTTP, ${entries} entries`);
      const task: HttpTask = { snapshot, entries, client, seconds, repeat };
      const result = await inOwnProcess<HttpResult>('./http/main.ts', task, totalmem());
      results.http.push(result);
      print(httpReport(result));
    }
    if (options.parts.includes('load')) {
      say(`load and memory, ${entries} entries`);
      const result = await measureLoad({ snapshot, entries, repeat }, say);
      results.load.push(result);
      print(loadReport(result));
    }
  }
  if (results.inprocess.length > 1) print(growthReport(results.inprocess));
  if (options.strapi && options.parts.includes('strapi')) {
    say(`Strapi at ${options.strapi.url}`);
    results.strapi = await measureStrapi(options.strapi, options, say);
    print(strapiReport(results.strapi));
  }
  drawRatios(results);
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
}

/** Of the usual size if it was measured, else of the last. */
function drawRatios({ inprocess, machine, options: { svg } }: Results): void {
  const result = inprocess.find(({ entries }) => entries === 100_000) ?? inprocess.at(-1);
  if (result && svg) writeFileSync(svg, ratioPicture(result, machine));
}

interface Results {
  machine: Machine;
  options: Arguments;
  inprocess: InprocessResult[];
  http: HttpResult[];
  load: LoadResult[];
  strapi?: StrapiResult;
}

function print(section: string): void {
  console.log(`\n${section}`);
}

function say(line: string): void {
  console.error(`bench: ${line}`);
}

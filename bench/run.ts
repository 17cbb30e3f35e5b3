/**
 * Measures Lectern beside other ways to answer the same queries:
 *
 *     npm run bench -- [--only inprocess,http,load] [--content magazine] [--size 10000] …
 *
 * Tables go to stdout, progress to stderr. README.md in this folder says what is measured and how.
 */
import { checkCompare, comparePackages, runCompare } from './compare/run.ts';
import { contents, prepareSnapshot } from './content/index.ts';
import { http } from './http/part.ts';
import { inprocess } from './inprocess/part.ts';
import { removeLeftovers } from './kept.ts';
import { load } from './load/part.ts';
import { type Options, type PartName, readOptions } from './options.ts';
import { checkPackages, installPackages } from './packages.ts';
import type { Part } from './part.ts';
import { buildProgram } from './program.ts';
import { Progress } from './progress.ts';
import { commitLine, machineLine } from './report/machine.ts';
import { drawPicture, printReport } from './report/report.ts';
import { newResults, resultsFile, saveResults } from './report/results.ts';

const parts: Record<PartName, Part> = { inprocess, http, load };

try {
  await run(readOptions(process.argv));
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
}

async function run(options: Options): Promise<void> {
  if (options.report) return printReport(options);
  await checkCompare(options);
  const isComparison = options.against !== undefined || options.snapshot !== undefined;
  const progress = new Progress((line) => console.error(`bench: ${line}`));
  const chosen = options.only.map((name) => [name, parts[name]] as const);
  const packages = isComparison ? comparePackages(options) : chosen.flatMap(([, part]) => part.packages(options));
  checkPackages(packages);
  removeLeftovers();
  installPackages(packages, (line) => progress.say(line));
  if (!options.built) {
    progress.say('builds Lectern');
    buildProgram();
  }
  const results = newResults(options);
  const file = resultsFile(results);
  let isSaved = false;
  process.once('SIGINT', () => {
    console.error(`bench: interrupted; ${isSaved ? `results so far are in ${file}` : 'there are no results yet'}`);
    process.exit(130);
  });
  const save = () => {
    saveResults(file, results);
    isSaved = true;
    progress.say(`results so far are in ${file}`);
  };
  console.log(`# Benchmarks of Lectern\n\n${machineLine(results.machine)}${commitLine(results.commit)}`);
  if (isComparison) return runCompare(options, results, progress, save);
  for (const content of contents.filter(({ name }) => options.content.includes(name))) {
    const entries = options.size ?? content.entries;
    const snapshot = await prepareSnapshot(content, entries, (line) => progress.say(line));
    for (const [name, part] of chosen) {
      progress.say(`${name}, ${content.name}`);
      const tables = await part.run({ options, content, entries, snapshot, results, progress });
      save();
      if (tables) console.log(`\n${tables}`);
    }
  }
  drawPicture(options, results);
}

/**
 * Measures Lectern beside other ways to answer the same queries:
 *
 *     npm run bench -- [--only inprocess,http,load] [--content magazine] [--size 10000] …
 *
 * Tables go to stdout, progress to stderr. README.md in this folder says what is measured and how.
 */
import { runCompare } from './compare/run.ts';
import { resolveCommit } from './compare/version.ts';
import { contents, prepareSnapshot } from './content/index.ts';
import { removeLeftovers } from './kept.ts';
import { type Options, readOptions } from './options.ts';
import { checkOwnContent, ownContent } from './own/content.ts';
import { measureOwn } from './own/measure.ts';
import { checkPackages, installPackages } from './packages.ts';
import { parts } from './parts.ts';
import { buildProgram } from './program.ts';
import { Progress } from './progress.ts';
import { titleLine } from './report/machine.ts';
import { ownHttpReport, ownQueryReport, ownTitle } from './report/own.ts';
import { drawPicture, printReport } from './report/report.ts';
import { newResults, type Results, resultsFile, saveResults } from './report/results.ts';

const options = readOptions(process.argv);
try {
  if (options.report) printReport(options);
  else await run(options);
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
}

async function run(options: Options): Promise<void> {
  let saved = '';
  process.once('SIGINT', () => {
    console.error(`bench: interrupted; ${saved ? `results so far are in ${saved}` : 'there are no results yet'}`);
    process.exit(130);
  });
  await checkOwnContent(options);
  if (options.against !== undefined) resolveCommit(options.against);
  const progress = new Progress((line) => console.error(`bench: ${line}`));
  const packages = packagesOf(options);
  checkPackages(packages);
  removeLeftovers();
  await installPackages(packages, (line) => progress.say(line));
  if (!options.built) {
    progress.say('builds Lectern');
    await buildProgram();
  }
  const results = newResults(options);
  const file = resultsFile(results);
  const save = () => {
    saveResults(file, results);
    saved = file;
    progress.say(`results so far are in ${file}`);
  };
  console.log(titleLine(results));
  if (options.against !== undefined) await runCompare(options, results, progress, save);
  else if (options.snapshot !== undefined) await runOwn(options, results, progress, save);
  else await runParts(options, results, progress, save);
}

function packagesOf({ against, snapshot, ...options }: Options): string[] {
  if (against === undefined && snapshot === undefined)
    return options.only.flatMap((name) => parts[name].packages(options));
  // what loads servers
  const isLoaded = options.only.includes('http') && (against !== undefined || options.client === 'autocannon');
  return isLoaded ? ['autocannon'] : [];
}

async function runParts(options: Options, results: Results, progress: Progress, save: () => void): Promise<void> {
  for (const content of contents.filter(({ name }) => options.content.includes(name))) {
    const entries = options.size ?? content.entries;
    const snapshot = await prepareSnapshot(content, entries, (line) => progress.say(line));
    for (const name of options.only) {
      progress.say(`${name}, ${content.name}`);
      const tables = await parts[name].run({ options, content, entries, snapshot, results, progress });
      save();
      if (tables) console.log(`\n${tables}`);
    }
  }
  drawPicture(options, results);
}

async function runOwn(options: Options, results: Results, progress: Progress, save: () => void): Promise<void> {
  const { http, only, client, seconds, rounds, snapshot } = options;
  const service = http ? new URL(http).origin : null;
  const task = { content: ownContent(options), parts: only, client, seconds, rounds, service };
  console.log(`\n${ownTitle(snapshot!)}`);
  await measureOwn(task, progress, (result, part) => {
    results.own = result;
    save();
    console.log(`\n${part === 'http' ? ownHttpReport(result) : ownQueryReport(result)}`);
  });
}

/**
 * Measures Lectern beside other ways to answer the same queries:
 *
 *     npm run bench -- [--only inprocess,http,load] [--content magazine] [--size 10000] …
 *
 * Tables go to stdout, progress to stderr. README.md in this folder says what is measured and how.
 */
import { writeFileSync } from 'node:fs';
import { contents, snapshotOf } from './content/index.ts';
import { http } from './http/part.ts';
import { inprocess } from './inprocess/part.ts';
import { load } from './load/part.ts';
import { type Options, type PartName, readOptions } from './options.ts';
import { installPackages } from './packages.ts';
import type { Part } from './part.ts';
import { buildProgram } from './program.ts';
import { Progress } from './progress.ts';
import { machineLine } from './report/machine.ts';
import { ratioPicture } from './report/picture.ts';
import { newResults, saveResults } from './report/results.ts';

const parts: Record<PartName, Part> = { inprocess, http, load };

try {
  await run(readOptions(process.argv));
} catch (error) {
  console.error(`bench: ${(error as Error).message}`);
  process.exitCode = 1;
}

async function run(options: Options): Promise<void> {
  const progress = new Progress((line) => console.error(`bench: ${line}`));
  const chosen = options.only.map((name) => [name, parts[name]] as const);
  const packages = chosen.flatMap(([, part]) => part.packages(options));
  installPackages(packages, (line) => progress.say(line));
  if (!options.built) {
    progress.say('builds Lectern');
    buildProgram();
  }
  const results = newResults(options);
  console.log(`# Benchmarks of Lectern\n\n${machineLine(results.machine)}`);
  for (const content of contents.filter(({ name }) => options.content.includes(name))) {
    const entries = options.size ?? content.entries;
    progress.say(`prepares ${content.name}, ${entries} entries`);
    const snapshot = snapshotOf(content, entries);
    for (const [name, part] of chosen) {
      progress.say(`${name}, ${content.name}`);
      const tables = await part.run({ options, content, entries, snapshot, results, progress });
      progress.say(`results are in ${saveResults(results)}`);
      if (tables) console.log(`\n${tables}`);
    }
  }
  const [first] = results.inprocess;
  if (options.svg && first) writeFileSync(options.svg, ratioPicture(first, results.machine));
}

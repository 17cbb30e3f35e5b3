import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { CaseOptions } from './property/arbitraries.ts';
import { describeFailure, regressionOf, runCampaign } from './property/campaign.ts';

/**
 * Compares the engine with the naive evaluator, seed after seed, until so many replies are compared or so many
 * seconds have passed. Ends with status 1 on the first difference and keeps its shrunk form as a regression.
 *
 *     tsx test/soak.ts [--cases 100000] [--seconds 60] [--seed 1]
 */
const { values } = parseArgs({
  options: { cases: { type: 'string' }, seconds: { type: 'string' }, seed: { type: 'string' } },
});
const mostCases = Number(values.cases ?? Number.POSITIVE_INFINITY);
const seconds = Number(values.seconds ?? (values.cases === undefined ? 60 : Number.POSITIVE_INFINITY));
const firstSeed = Number(values.seed ?? Date.now() % 1_000_000_000);
if ([mostCases, seconds, firstSeed].some(Number.isNaN)) throw new Error('--cases, --seconds and --seed take numbers');

/** Snapshots of one campaign. */
const runs = 40;
/** Milliseconds between two progress lines. */
const reportEvery = 5_000;

const started = Date.now();
let compared = 0;
let reported = started;

for (let seed = firstSeed; compared < mostCases && Date.now() - started < seconds * 1000; seed++) {
  const options: CaseOptions = {
    dialect: seed % 2 === 0 ? 'document' : 'strapi',
    requests: 20,
    withRoles: seed % 4 < 2,
  };
  const outcome = await runCampaign(options, seed, runs);
  compared += outcome.compared;
  if (outcome.failure) {
    console.error(describeFailure(options, outcome.failure));
    if (outcome.failure.difference) {
      const file = new URL(`property/regressions/${options.dialect}-${seed}.json`, import.meta.url);
      writeFileSync(file, `${JSON.stringify(regressionOf(outcome.failure.difference), null, 2)}\n`);
      console.error(`kept as ${file.pathname}`);
    }
    console.error(`failed after ${compared} replies, first seed ${firstSeed}`);
    process.exit(1);
  }
  if (Date.now() - reported >= reportEvery) {
    reported = Date.now();
    console.log(`${compared} replies compared, at seed ${seed}, ${Math.round((reported - started) / 1000)} s`);
  }
}
console.log(`${compared} replies compared, no difference, first seed ${firstSeed}`);

import { writeFileSync } from 'node:fs';
import { askedFeatures } from '../support/features.ts';
import type { CaseOptions } from './arbitraries.ts';
import { describeFailure, regressionOf, runCampaign } from './campaign.ts';

/** Snapshots of one campaign. */
const runs = 40;

/**
 * Compares the engine with the naive evaluator, seed after seed. `goesOn` is told how many replies have been compared
 * and at which seed. Gives what was compared, or null on the first difference, whose shrunk form it keeps as a
 * regression.
 */
export async function soakReplies(
  firstSeed: number,
  goesOn: (done: number, seed: number) => boolean,
): Promise<string | null> {
  let compared = 0;
  for (let seed = firstSeed; goesOn(compared, seed); seed++) {
    const options: CaseOptions = {
      dialect: seed % 2 === 0 ? 'document' : 'strapi',
      database: (['sqlite', 'mysql', 'postgres'] as const)[seed % 3],
      requests: 20,
      features: seed % 8 < 4 ? askedFeatures : undefined,
      withRoles: seed % 4 < 2,
    };
    const outcome = await runCampaign(options, seed, runs);
    compared += outcome.compared;
    if (!outcome.failure) continue;
    console.error(describeFailure(options, outcome.failure));
    if (outcome.failure.difference) {
      const file = new URL(`regressions/${options.dialect}-${seed}.json`, import.meta.url);
      writeFileSync(file, `${JSON.stringify(regressionOf(outcome.failure.difference), null, 2)}\n`);
      console.error(`kept as ${file.pathname}`);
    }
    return null;
  }
  return `${compared} replies compared, no difference`;
}

import { removeFolders } from '../support/folders.ts';
import { runCampaign } from './campaign.ts';

/** Contents of one campaign. */
const contents = 5;

/**
 * Changes contents at random and compares them with fresh ones, seed after seed. `goesOn` is told how many replies have
 * been compared and at which seed. Returns what was compared, or null on the first difference.
 */
export async function soakLive(
  firstSeed: number,
  goesOn: (done: number, seed: number) => boolean,
): Promise<string | null> {
  let compared = 0;
  for (let seed = firstSeed; goesOn(compared, seed); seed++) {
    const dialect = seed % 2 === 0 ? 'document' : 'strapi';
    const sample = { repeated: 40, asked: 40, drawn: 20 };
    const outcome = await runCampaign({ dialect, contents, changes: 30, sample }, seed);
    compared += outcome.compared;
    removeFolders();
    if (outcome.failure === null) continue;
    console.error(`in the dialect ${dialect}: ${outcome.failure}`);
    return null;
  }
  return `${compared} replies compared, no difference`;
}

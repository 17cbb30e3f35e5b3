import { runSnapshots } from './snapshot-campaign.ts';

/** Snapshots between two checks of the time. */
const perCampaign = 200;

/** Maximum memory of the process, in bytes. */
const mostBytes = 1.5 * 2 ** 30;

/**
 * Loads broken snapshot after broken snapshot. `goesOn` is told how many have been loaded and at which seed. Gives what
 * came of them, or null where one failed otherwise than with a problem, or memory grew past its bound.
 */
export async function soakSnapshots(
  firstSeed: number,
  goesOn: (done: number, seed: number) => boolean,
): Promise<string | null> {
  let loaded = 0;
  let refused = 0;
  for (let seed = firstSeed; goesOn(loaded + refused, seed); seed += perCampaign) {
    const outcome = await runSnapshots(seed, perCampaign);
    loaded += outcome.loaded;
    refused += outcome.refused;
    if (outcome.failures.length === 0) continue;
    console.error(outcome.failures.join('\n'));
    return null;
  }
  const peak = process.resourceUsage().maxRSS * 1024;
  const result = `${loaded + refused} broken snapshots: ${refused} refused, ${loaded} loaded, at most ${(peak / 2 ** 20).toFixed(0)} MiB`;
  if (peak <= mostBytes) return result;
  console.error(result);
  return null;
}

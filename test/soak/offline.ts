import { soakRequests } from '../fuzz/soak-requests.ts';
import { soakSnapshots } from '../fuzz/soak-snapshots.ts';
import { soakJournal } from '../journal/kills.ts';
import { soakJournalCompaction } from '../live/journal-kills.ts';
import { soakLive } from '../live/soak.ts';
import { soakReplies } from '../property/soak.ts';
import { soakReloads, soakSwaps } from './reloads.ts';

/**
 * Campaigns without attacks: replies against the naive evaluator, changed content against fresh content, hostile
 * requests, broken snapshots, reloads, swaps, kills while a journal is written or compacted.
 */
export const campaigns = {
  replies: soakReplies,
  live: soakLive,
  requests: soakRequests,
  snapshots: soakSnapshots,
  reloads: soakReloads,
  swaps: soakSwaps,
  journal: soakJournal,
  compactions: soakJournalCompaction,
};

export type CampaignName = keyof typeof campaigns;

/** Milliseconds between two progress lines. */
const reportEvery = 5_000;

/** Runs a campaign for a number of cases and seconds. Returns a summary, or null if it failed. */
export async function runCampaign(
  name: CampaignName,
  { firstSeed, cases, seconds }: { firstSeed: number; cases: number; seconds: number },
): Promise<string | null> {
  const started = Date.now();
  let reported = started;
  return campaigns[name](firstSeed, (done, seed) => {
    if (Date.now() - reported >= reportEvery) {
      reported = Date.now();
      console.log(`${done} ${name}, at seed ${seed}, ${Math.round((reported - started) / 1000)} s`);
    }
    return done < cases && Date.now() - started < seconds * 1000;
  });
}

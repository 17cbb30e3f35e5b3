import { fileURLToPath } from 'node:url';
import { describeRequests, runRequests } from './request-campaign.ts';

/** Requests per server. The next server has the other dialect. */
const perCampaign = 20_000;

/** Maximum processor time of one answer, in milliseconds. */
const mostMilliseconds = 100;

const demo = fileURLToPath(new URL('../../data/demo', import.meta.url));

/**
 * Sends request after request to servers of the demo. `goesOn` is told how many have been sent and at which seed. Gives
 * what came back, or null after a status that may not be.
 */
export async function soakRequests(
  firstSeed: number,
  goesOn: (done: number, seed: number) => boolean,
): Promise<string | null> {
  const statuses = new Map<number | null, number>();
  let asked = 0;
  const slow: string[] = [];
  let longest = { url: '', milliseconds: 0 };
  for (let seed = firstSeed; goesOn(asked, seed); seed += perCampaign) {
    const before = asked;
    let within = 0;
    const outcome = await runRequests({
      snapshot: demo,
      dialect: Math.floor(seed / perCampaign) % 2 === 0 ? 'document' : 'strapi',
      firstSeed: seed,
      count: perCampaign,
      isOver: () => ++within % 1000 === 0 && !goesOn(before + within, seed + within),
      answered: (url, milliseconds) => {
        if (milliseconds > longest.milliseconds) longest = { url, milliseconds };
        if (milliseconds > mostMilliseconds) slow.push(`${milliseconds.toFixed(0)} ms: ${url}`);
      },
    });
    asked += outcome.asked;
    for (const [status, count] of outcome.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
    if (outcome.failures.length > 0 || outcome.errors.length > 0 || !outcome.isAlive) {
      console.error(describeRequests(outcome) || 'the server no longer answers');
      return null;
    }
  }
  const counts = [...statuses]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, count]) => `${count} times ${status}`);
  const most = `the longest took ${longest.milliseconds.toFixed(1)} ms of processor time: ${longest.url.slice(0, 300)}`;
  const result = `${asked} requests: ${counts.join(', ')}; ${most}`;
  if (slow.length === 0) return result;
  console.error(`${result}\nover ${mostMilliseconds} ms of processor time:\n${slow.slice(0, 20).join('\n')}`);
  return null;
}

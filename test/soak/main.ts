import { parseArgs } from 'node:util';
import { type CampaignName, campaigns, runCampaign } from './offline.ts';
import { soakUnderAttack } from './under-attack.ts';

/**
 * The soak: attacks and ordinary visitors against `lectern serve` for an hour, then each offline campaign for a
 * twentieth of that. Or one of these alone. Prints a summary with seeds, and ends with status 1 if something failed.
 *
 *     npm run test:soak -- [--minutes 60] [--seed 1]
 *     npm run test:soak -- attacks|replies|live|requests|snapshots|reloads|swaps|journal|compactions [--minutes 1] [--seconds 60] [--cases 100000] [--seed 1]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    cases: { type: 'string' },
    seed: { type: 'string' },
  },
});
const [what = 'all'] = positionals;
const isCampaign = (name: string): name is CampaignName => Object.hasOwn(campaigns, name);
const names = ['all', 'attacks', ...Object.keys(campaigns)];
if (!names.includes(what)) throw new Error(`what is soaked is one of ${names.slice(1).join(', ')}, not ${what}`);

const given = (name: keyof typeof values): number | undefined => {
  if (values[name] === undefined) return undefined;
  const value = Number(values[name]);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0, is ${values[name]}`);
  return value;
};
const firstSeed = given('seed') ?? Date.now() % 1_000_000_000;
const cases = given('cases') ?? Number.POSITIVE_INFINITY;
const asked = given('seconds') ?? (given('minutes') ?? 0) * 60;
const campaignSeconds = asked || (values.cases === undefined ? 60 : Number.POSITIVE_INFINITY);
const attackSeconds = asked || 3600;

const lines: string[] = [];
const parts = { passed: 0, failed: 0 };
const campaign = async (name: CampaignName, seconds: number) => {
  const result = await runCampaign(name, { firstSeed, cases, seconds });
  lines.push(`${name}: ${result ?? 'failed'}, first seed ${firstSeed}`);
  parts[result === null ? 'failed' : 'passed']++;
};

console.log(`seed ${firstSeed}`);
if (isCampaign(what)) await campaign(what, campaignSeconds);
else {
  const attacked = await soakUnderAttack(firstSeed, attackSeconds * 1000);
  lines.push(attacked.summary);
  parts[attacked.isRight ? 'passed' : 'failed']++;
  if (what === 'all') {
    for (const name of Object.keys(campaigns)) await campaign(name as CampaignName, attackSeconds / 20);
  }
}
console.log(`\n${lines.join('\n')}\n${parts.passed} parts passed, ${parts.failed} failed, first seed ${firstSeed}`);
process.exit(parts.failed === 0 ? 0 : 1);

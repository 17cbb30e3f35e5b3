import { parseArgs } from 'node:util';
import { soakRequests } from './fuzz/soak-requests.ts';
import { soakSnapshots } from './fuzz/soak-snapshots.ts';
import { soakReplies } from './property/soak.ts';

/**
 * Goes on, seed after seed, until there have been so many cases or so many seconds have passed. Ends with status 1 on
 * the first case that fails. What: `replies` against the naive evaluator, hostile `requests`, or broken `snapshots`.
 *
 *     tsx test/soak.ts [replies|requests|snapshots] [--cases 100000] [--seconds 60] [--seed 1]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: 'string' }, seconds: { type: 'string' }, seed: { type: 'string' } },
});
const mostCases = Number(values.cases ?? Number.POSITIVE_INFINITY);
const seconds = Number(values.seconds ?? (values.cases === undefined ? 60 : Number.POSITIVE_INFINITY));
const firstSeed = Number(values.seed ?? Date.now() % 1_000_000_000);
if ([mostCases, seconds, firstSeed].some(Number.isNaN)) throw new Error('--cases, --seconds and --seed take numbers');

const soaks = { replies: soakReplies, requests: soakRequests, snapshots: soakSnapshots };
const [what = 'replies'] = positionals;
const soak = soaks[what as keyof typeof soaks];
if (!soak) throw new Error(`what is soaked is one of ${Object.keys(soaks).join(', ')}, not ${what}`);

/** Milliseconds between two progress lines. */
const reportEvery = 5_000;
const started = Date.now();
let reported = started;

const result = await soak(firstSeed, (done, seed) => {
  if (Date.now() - reported >= reportEvery) {
    reported = Date.now();
    console.log(`${done} ${what}, at seed ${seed}, ${Math.round((reported - started) / 1000)} s`);
  }
  return done < mostCases && Date.now() - started < seconds * 1000;
});
console.log(`${result ?? 'failed'}, first seed ${firstSeed}`);
if (result === null) process.exit(1);

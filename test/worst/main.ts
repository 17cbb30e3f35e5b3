/**
 * Looks for the queries that hold the event loop longest: random ones, then changes of the worst, again and again. Then
 * tells how long a counted step took, in those that take long enough to tell, beside a loop that is always the same: a
 * busy machine is slow at both.
 *
 *     npm run test:worst -- --snapshot FOLDER [--dialect strapi] [--seconds 120] [--seed 1] [--show 10]
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { badQueries } from '../../bench/load/bad-queries.ts';
import { type BuiltContent, type BuiltReply, openBuilt } from '../../bench/program.ts';
import { Random } from '../../bench/random.ts';
import { median } from '../../bench/statistics.ts';
import { costlyQueries } from './costly-queries.ts';
import { countedSteps } from './counted-steps.ts';
import { QueryGrammar, type RandomQuery, readModel } from './query-grammar.ts';

interface Measured {
  url: string;
  query: RandomQuery | null;
  status: number;
  bytes: number;
  /** Processor time in milliseconds, of all threads: of the first time, and the least of later ones. */
  first: number;
  again: number;
  /** What was counted, in steps; of a refusal what was counted before the part that passed the budget. */
  steps: number;
  refusal: string;
}

const { values } = parseArgs({
  options: {
    snapshot: { type: 'string' },
    dialect: { type: 'string', default: 'strapi' },
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '10' },
  },
});
if (!values.snapshot) throw new Error('--snapshot names the folder of a snapshot');
const seconds = Number(values.seconds);
const show = Number(values.show);
const random = new Random(Number(values.seed));

/** Number of the worst queries that are changed further. */
const kept = 40;
/** Number of measurements of one query. */
const repetitions = 3;
/** Number of repetitions, at the end, of a query that seems too slow. */
const suspiciousRepetitions = 8;
/** In milliseconds: in less, what is not counted by steps weighs too much. */
const longEnough = 2;

const token = createHash('sha256').update('all').digest('hex');
const content: BuiltContent = await openBuilt(values.snapshot, {
  dialect: values.dialect,
  cacheBytes: 0,
  tokens: [{ name: 'all', sha256: token, type: 'full-access' }],
});
const grammar = new QueryGrammar(readModel(values.snapshot), random);

function measure(url: string, query: RandomQuery | null): Measured {
  const times: number[] = [];
  let reply: BuiltReply | undefined;
  const steps = countedSteps();
  for (let run = 0; run < repetitions; run++) {
    steps.start();
    const before = process.cpuUsage();
    reply = content.answer(`/api/${url}`, { authorization: 'Bearer all' });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    // a query that is fast once is not repeated
    if (times[0] < longEnough) break;
  }
  const { status, body } = reply!;
  const [first, ...later] = times;
  const refusal = status === 200 ? '' : (JSON.parse(body.toString()).error.message as string);
  return {
    url,
    query,
    status,
    bytes: body.length,
    first,
    again: later.length > 0 ? Math.min(...later) : first,
    steps: steps.counted,
    refusal,
  };
}

const found = new Map<string, Measured>();
let worst: Measured[] = [];
let longestFirst: Measured | null = null;
const statuses = new Map<number, number>();

function take(measured: Measured): void {
  statuses.set(measured.status, (statuses.get(measured.status) ?? 0) + 1);
  if (!longestFirst || measured.first > longestFirst.first) longestFirst = measured;
  found.set(measured.url, measured);
  if (worst.length >= kept && measured.again <= worst[worst.length - 1].again) return;
  worst = [...worst, measured].sort((a, b) => b.again - a.again).slice(0, kept);
}

// those for other content are a 404
for (const url of [...Object.values(badQueries), costlyQueries].flatMap(Object.values<string>))
  take(measure(url, null));
const started = Date.now();
let tried = 0;
while (Date.now() - started < seconds * 1000) {
  const parents = worst.filter(({ query }) => query !== null);
  const isNew = tried < 300 || parents.length < 2 || random.next() < 0.15;
  const parent = isNew ? null : random.pick(parents).query!;
  const query =
    parent === null
      ? grammar.query()
      : random.next() < 0.15
        ? grammar.joined(parent, random.pick(parents).query!)
        : grammar.changed(parent);
  const url = grammar.url(query);
  if (url.length > 15_000 || found.has(url)) continue;
  tried++;
  take(measure(url, query));
}

/** What a step of a loop takes that neither reads nor writes memory, in nanoseconds of processor time. */
function fixedLoop(): number {
  const length = 2e7;
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    let number = 1;
    for (let i = 0; i < length; i++) number = (Math.imul(number, 31) + i) | 0;
    const { user } = process.cpuUsage(before);
    return number === 0.5 ? 0 : (user * 1000) / length;
  });
  return Math.min(...times);
}

const perStep = ({ again, steps }: Measured) => (again * 1e6) / steps;
const isTimed = ({ again, steps }: Measured) => again > longEnough && steps > 0;

// slow queries are repeated with warm code, because other processes disturb some of the first measurements
const usual = median([...found.values()].filter(isTimed).map(perStep));
for (const measured of found.values()) {
  if (measured.again <= 40 && !(isTimed(measured) && perStep(measured) > 1.6 * usual)) continue;
  for (let run = 0; run < suspiciousRepetitions; run++) {
    const before = process.cpuUsage();
    content.answer(`/api/${measured.url}`, { authorization: 'Bearer all' });
    const { user, system } = process.cpuUsage(before);
    measured.again = Math.min(measured.again, (user + system) / 1000);
  }
}
worst.sort((a, b) => b.again - a.again);

const round = (milliseconds: number) => milliseconds.toFixed(1).padStart(7);
const line = ({ url, status, bytes, first, again, refusal }: Measured) =>
  `${round(again)} ms, at first ${round(first)} ms, ${status}, ${bytes} bytes, ${url.length} characters: ${url.slice(0, 400)}${refusal && `\n          ${refusal.slice(0, 120)}`}`;
console.log(
  `${tried} queries in the dialect ${values.dialect}, seed ${values.seed}, ${seconds} s: ${[...statuses].map(([status, count]) => `${count} times ${status}`).join(', ')}`,
);
const over = [...found.values()].filter(({ again }) => again > 50);
console.log(`${over.length} took more than 50 ms of processor time`);
const timed = [...found.values()].filter(isTimed);
const middle = median(timed.map(perStep));
const slow = timed.filter((measured) => perStep(measured) > 2 * middle).sort((a, b) => perStep(b) - perStep(a));
console.log(
  `${timed.length} took more than ${longEnough} ms, with a median of ${middle.toFixed(2)} ns a step; ${slow.length} took more than twice that; a step of a fixed loop takes ${fixedLoop().toFixed(2)} ns`,
);
for (const measured of slow.slice(0, show)) console.log(`${perStep(measured).toFixed(2)} ns a step: ${line(measured)}`);
for (const measured of worst.slice(0, show)) console.log(line(measured));
console.log('the longest when it was asked for the first time:');
console.log(line(longestFirst!));

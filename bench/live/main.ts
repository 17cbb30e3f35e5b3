/**
 * Measures changes of single entries of the magazine in process: how long until a change is visible, what it costs, and
 * what reads cost beside changes:
 *
 *     npx tsx bench/live/main.ts [--entries 100000] [--changed 0,100,1000,3000]
 */
import { parseArgs } from 'node:util';
import type { Batch } from '../../src/changes/batch/batch.ts';
import type { Content } from '../../src/content/content.ts';
import { open } from '../../src/index.ts';
import { magazine, snapshotOf } from '../content/index.ts';
import { Random } from '../random.ts';
import { median } from '../statistics.ts';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000' },
    changed: { type: 'string', default: '0,100,1000,3000' },
  },
});

type Entry = Record<string, unknown> & { id: number; documentId: string; title: string };

const uid = 'api::article.article';
/** Changes whose time is measured, for each size of the delta. */
const samples = 60;
const changesPerSecond = 20;

const source = new Random(7);
const random = () => source.next();
const folder = await snapshotOf(magazine, Number(values.entries));
const started = performance.now();
const content = await open(folder, { public: true });
console.log(`opened ${values.entries} entries in ${Math.round(performance.now() - started)} ms`);
const articles = readArticles(content, 4_500);
console.log(`fixed loop: ${fixedLoop().toFixed(1)} ms`);

/** Beside reads, these change: 200 articles, so that the delta does not grow. */
const edited = articles.slice(0, 200);
let next = 0;
await readsPerSecond(false);
const readsBefore = await readsPerSecond(false);
let changedSoFar = 0;
for (const target of values.changed.split(',').map(Number)) {
  if (target > changedSoFar) {
    const before = performance.now();
    content.apply(batchOf(articles.slice(changedSoFar, target)));
    console.log(`  a batch of ${target - changedSoFar}: ${(performance.now() - before).toFixed(0)} ms`);
    changedSoFar = target;
  }
  await measureChanges(target);
}
console.log(`reads with this delta: ${(await readsPerSecond(false)) / readsBefore} of the throughput without one`);
await measureReads();
await measureHotReads();

/** Applies single changes, and asks for each changed entry. */
async function measureChanges(target: number): Promise<void> {
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < samples; i++) {
    // entries that have changed before, so that the delta keeps its size
    const article = articles[target === 0 ? 0 : next++ % target];
    const batch = batchOf([article]);
    const before = performance.now();
    content.apply(batch);
    const query = { fields: 'title', status: 'draft', locale: String(article.locale) } as const;
    const { data } = content.findOne('articles', article.documentId, query) as unknown as { data: Entry };
    times.push(performance.now() - before);
    if (!data.title.includes(' changed ')) throw new Error('a change is not visible');
  }
  const { user, system } = process.cpuUsage(cpu);
  const cost = (user + system) / 1000 / samples;
  times.sort((a, b) => a - b);
  const [p50, p99] = [median(times), times[Math.floor(times.length * 0.99)]];
  const share = (cost * changesPerSecond) / 10;
  console.log(
    `${target} changed: visible p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms; ` +
      `${cost.toFixed(2)} ms of processor time a change, ${share.toFixed(1)} % of a core at ${changesPerSecond} a second`,
  );
}

/** Distinct URLs, with and without changes, in turn. */
async function measureReads(): Promise<void> {
  const ratios: number[] = [];
  for (let turn = 0; turn < 10; turn++) {
    const alone = await readsPerSecond(false);
    const beside = await readsPerSecond(true);
    ratios.push(beside / alone);
  }
  console.log(
    `distinct URLs beside ${changesPerSecond} changes a second: ${median(ratios).toFixed(3)} of the throughput`,
  );
}

/** Returns the reads of a second of processor time. Changes come as often in that time. */
async function readsPerSecond(withChanges: boolean): Promise<number> {
  const start = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  let nextChange = 0;
  let reads = 0;
  while (used() < 1000) {
    if (withChanges && used() >= nextChange) {
      content.apply(batchOf([edited[next++ % edited.length]]));
      nextChange += 1000 / changesPerSecond;
    }
    for (let i = 0; i < 20; i++) await content.answer(distinctUrl());
    reads += 20;
  }
  return reads;
}

/** Returns a URL that was hardly ever asked before: none of them comes from a cache. */
function distinctUrl(): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const page = (starts: number) => `pagination[start]=${below(starts)}&pagination[limit]=${20 + below(10)}`;
  const text = `${String.fromCharCode(97 + below(26))}${below(900).toString(36)}`;
  const urls = [
    () => `/api/articles?sort=title&${page(20_000)}`,
    () => `/api/articles?sort=publishedOn:desc&${page(20_000)}&populate=author`,
    () => `/api/articles?filters[rating][$gt]=${below(5000) / 1000}&${page(500)}`,
    () => `/api/articles?filters[title][$containsi]=${text}&${page(500)}`,
    () => `/api/articles?filters[author][id]=${1 + below(300)}&sort=updatedAt&${page(500)}`,
  ];
  return urls[below(urls.length)]();
}

/** Asks 200 URLs again and again beside changes, and counts how many come from the cache. */
async function measureHotReads(): Promise<void> {
  const urls = Array.from({ length: 200 }, distinctUrl);
  for (let i = 0; i < 3; i++) for (const url of urls) await content.answer(url);
  const before = content.history.cacheFigures.url.hits;
  let asked = 0;
  const rounds = 20;
  const cachedBefore = content.history.cacheFigures.query.misses;
  for (let i = 0; i < rounds; i++) {
    content.apply(batchOf([edited[next++ % edited.length]]));
    for (const url of urls) await content.answer(url);
    asked += urls.length;
  }
  const { url, query } = content.history.cacheFigures;
  const remade = query.misses - cachedBefore;
  console.log(
    `hot URLs: ${url.hits - before} of ${asked} found, ${remade} made again: ${(100 - (100 * remade) / asked).toFixed(1)} % from the cache`,
  );
}

function batchOf(entries: readonly Entry[]): Batch {
  const entities = entries.map((entry) => {
    const data = { ...entry, title: `${entry.title} changed ${Math.floor(random() * 1e9)}` };
    return { type: uid, id: entry.id, data };
  });
  return { entities, links: [] };
}

function readArticles(from: Content, count: number): Entry[] {
  const found: Entry[] = [];
  for (let start = 0; found.length < count; start += 100) {
    const query = { status: 'draft', locale: '*', populate: '*', pagination: { start, limit: 100 } } as const;
    const { data } = from.find('articles', query) as unknown as { data: Entry[] };
    if (data.length === 0) break;
    found.push(...data);
  }
  return found;
}

/** Milliseconds of a loop that is the same everywhere, to compare machines. */
function fixedLoop(): number {
  const before = performance.now();
  let sum = 0;
  for (let i = 0; i < 1e8; i++) sum = (sum + i * 7) | 0;
  if (sum === 1) console.log('');
  return performance.now() - before;
}

import { setTimeout } from 'node:timers/promises';
import { openBuilt } from '../program.ts';
import { Random } from '../random.ts';
import { quantile } from '../statistics.ts';
import { answerRequests } from '../task.ts';

/** Opens the magazine, asks it six kinds of queries and changes single entries, in a process of its own. */

export interface SizeTask {
  /** The snapshot, or an image of it. */
  content: string;
}

export interface SizeResult {
  openMilliseconds: number;
  /** In user mode. */
  openProcessorMilliseconds: number;
  peakBytes: number;
  /** After the queries, when garbage was collected. */
  residentBytes: number;
  queries: { name: string; median: number; p99: number }[];
  /** From a change of one entry until it is shown: median, and the longest. */
  changeMilliseconds: { median: number; longest: number };
}

type Entry = Record<string, unknown> & { id: number; documentId: string; title: string; slug: string };

/** A built content with the parts of the library that this needs. */
interface Changeable {
  answer(url: string, options: object): { status: number; body: Buffer };
  apply(batch: object): unknown;
}

const calls = 1000;
const changes = 50;
const settling = 8000;

async function measureSize({ content: path }: SizeTask): Promise<SizeResult> {
  const before = process.cpuUsage();
  const started = performance.now();
  const content = (await openBuilt(path, { public: true, cacheBytes: 0 })) as unknown as Changeable;
  const openMilliseconds = performance.now() - started;
  const openProcessorMilliseconds = process.cpuUsage(before).user / 1000;
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  const random = new Random(5);
  const entries = sampleEntries(content, random);
  const queries = Object.entries(urlsOf(random, entries)).map(([name, draw]) => ({ name, ...measure(content, draw) }));
  const changeMilliseconds = measureChanges(content, entries.slice(0, changes));
  for (let time = 0; time < 4; time++) {
    (globalThis as { gc?: () => void }).gc?.();
    await setTimeout(settling / 4);
  }
  const residentBytes = process.memoryUsage.rss();
  return { openMilliseconds, openProcessorMilliseconds, peakBytes, residentBytes, queries, changeMilliseconds };
}

function ask(content: Changeable, path: string): { data: Entry[]; meta: { pagination: { total: number } } } {
  const { status, body } = content.answer(encodeURI(path), {});
  if (status !== 200) throw new Error(`${path} has the status ${status}: ${body}`);
  return JSON.parse(String(body));
}

/** Articles of pages all over the content. */
function sampleEntries(content: Changeable, random: Random): Entry[] {
  const { total } = ask(content, '/api/articles?pagination[limit]=1').meta.pagination;
  return Array.from({ length: 20 }, () => {
    const start = random.integer(0, total - 100);
    return ask(content, `/api/articles?populate=author&pagination[start]=${start}&pagination[limit]=100`).data;
  }).flat();
}

function urlsOf(random: Random, entries: readonly Entry[]): Record<string, () => string> {
  const page = () => `pagination[page]=${random.integer(1, 30)}`;
  const letters = () => random.pick(entries).title.slice(2, 5);
  const author = () => (random.pick(entries).author as Entry | null)?.id ?? 1;
  return {
    slug: () => `filters[slug]=${random.pick(entries).slug}`,
    'two conditions': () => `filters[rating][$gte]=${random.decimal(1, 5, 3)}&sort=publishedOn:desc&${page()}`,
    'a relation': () => `filters[author][id]=${author()}&sort=rating&${page()}`,
    'two relations': () => `filters[author][team][id]=${random.integer(1, 40)}&sort=rating&${page()}`,
    contains: () => `filters[title][$containsi]=${letters()}&${page()}`,
    populate: () => `sort=title&populate[0]=author.team&populate[1]=categories&${page()}`,
  };
}

/** Times in microseconds of calls with other operands each time. */
function measure(content: Changeable, draw: () => string): { median: number; p99: number } {
  const urls = Array.from({ length: calls }, () => encodeURI(`/api/articles?${draw()}`));
  const times = new Float64Array(calls);
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < calls; i++) {
      const started = performance.now();
      const { status } = content.answer(urls[i], {});
      times[i] = (performance.now() - started) * 1000;
      if (status !== 200) throw new Error(`${urls[i]} has the status ${status}`);
    }
  }
  times.sort();
  return { median: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

function measureChanges(content: Changeable, entries: readonly Entry[]): { median: number; longest: number } {
  const times = Float64Array.from(entries, (entry) => {
    const title = `${entry.title} changed`;
    const { author, ...own } = entry;
    const started = performance.now();
    content.apply({ entities: [{ type: 'api::article.article', id: entry.id, data: { ...own, title } }], links: [] });
    const { data } = ask(content, `/api/articles?filters[documentId]=${entry.documentId}`);
    const time = performance.now() - started;
    if (data[0]?.title !== title) throw new Error('a change is not shown');
    return time;
  }).sort();
  return { median: quantile(times, 0.5), longest: times[times.length - 1] };
}

answerRequests({ work: measureSize });

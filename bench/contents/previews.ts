/**
 * Measures the memory of previews over one base, together and compared with the base: while they are idle, and while all
 * of them are in use. Each changes ten articles, of which two are new. `bytes` is the setting `contents.previewBytes`.
 *
 *     npx tsx bench/contents/previews.ts [--entries 100000] [--previews 100] [--bytes 16777216]
 */
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withKnownInSteps } from '../../src/content/previews/known-values.ts';
import type { PutPreview } from '../../src/content/previews/made-preview.ts';
import { OpenPreviews } from '../../src/content/previews/open-previews.ts';
import { Preview } from '../../src/content/previews/preview.ts';
import { packFileInSteps } from '../../src/content/previews/preview-changes.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { open } from '../../src/index.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { magazine, snapshotOf } from '../content/index.ts';
import { median } from '../statistics.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000' },
    previews: { type: 'string', default: '100' },
    bytes: { type: 'string', default: String(configSchema.parse({}).contents.previewBytes) },
  },
});
const [entries, count] = [values.entries, values.previews].map(Number);
const uid = 'api::article.article';
const relations = ['author', 'translator', 'issue', 'categories', 'places', 'related'];
const changesOfEach = 10;
const settings = configSchema.parse({ public: true });

const before = await usedBytes();
const base = await open(await snapshotOf(magazine, entries), { public: true });
const ofBase = (await usedBytes()) - before;
console.log(`${entries} entries: the base takes ${mebibytes(ofBase)}`);

const articles = readArticles(count * changesOfEach);
const idleBefore = await usedBytes();
const openPreviews = new OpenPreviews(Number(values.bytes));
const previews = Array.from({ length: count }, (_, i) => {
  const put: PutPreview = {
    name: `pr-${i}`,
    snapshot: '',
    isUploaded: true,
    tokens: [],
    putAt: new Date().toISOString(),
    expires: null,
    preview: { base: 'main', drafts: false, sha256: null, epoch: 1 },
  };
  const own = articles.slice(i * changesOfEach, (i + 1) * changesOfEach).map(changed);
  const baseOf = () => ({ id: 1, content: base });
  const known = runAtOnce(withKnownInSteps({}, own, base.history.loaded));
  return new Preview(put, runAtOnce(packFileInSteps({ revision: 0, lists: [own], known })), {
    settings,
    extension: null,
    open: openPreviews,
    baseOf,
  });
});
report('idle', (await usedBytes()) - idleBefore);

const times: number[] = [];
for (const preview of previews) {
  const started = performance.now();
  await preview.open();
  times.push(performance.now() - started);
}
console.log(`making one: median ${median(times).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms`);
for (const preview of previews) await use(preview);
report('in use', (await usedBytes()) - idleBefore);
const bytes = previews.map(({ facts }) => facts.bytes!);
console.log(`bytes in the list of contents: ${mebibytes(bytes.reduce((sum, each) => sum + each, 0))} together`);
for (const preview of previews) preview.release();
report('idle again', (await usedBytes()) - idleBefore);

/** Asks for what a front end asks for: lists, an entry, and a search. */
async function use(preview: Preview): Promise<void> {
  const { content } = await preview.open();
  const urls = [
    '/api/articles?sort=publishedOn:desc&populate[author]=true&pagination[pageSize]=10',
    '/api/articles?filters[rating][$gt]=4.5&populate=*',
    '/api/articles?filters[title][$containsi]=edited',
    '/api/authors?populate=*',
  ];
  for (const url of [...urls, ...urls]) {
    const { status, body } = await content.answer(url);
    if (status !== 200) throw new Error(`${url}: ${status} ${body}`);
  }
}

interface Article {
  readonly documentId: string;
  readonly slug: string;
  readonly locale: string;
  readonly [relation: string]: unknown;
}

function readArticles(wanted: number): Article[] {
  const found: Article[] = [];
  for (let page = 1; found.length < wanted; page++) {
    const query = { fields: ['slug', 'locale'], populate: relations, pagination: { page, pageSize: 100 } };
    found.push(...(base.find('articles', query as object).data as unknown as Article[]));
  }
  return found.slice(0, wanted);
}

/** Keeps the relations of an article. Every fifth change adds an article instead of replacing one. */
function changed({ documentId, slug, locale, ...article }: Article, i: number): object {
  const isNew = i % 5 === 0;
  const name = isNew ? { documentId: `${documentId}-new`, slug: `${slug}-new` } : { documentId, slug };
  const body = [{ type: 'paragraph', children: [{ type: 'text', text: 'edited '.repeat(300) }] }];
  const links = relations.map((relation) => [relation, referencesOf(article[relation])]);
  const entry = { ...name, locale, title: `Edited ${slug}`, lead: 'edited', body, ...Object.fromEntries(links) };
  return { upsert: uid, entry };
}

function referencesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referencesOf);
  return (value as Article | null | undefined)?.documentId ?? null;
}

function report(state: string, used: number): void {
  const share = ((100 * used) / ofBase).toFixed(1);
  console.log(`${count} previews, ${state}: ${mebibytes(used)} together, ${share} % of the base`);
}

/** Bytes of the heap and of buffers, without garbage. */
async function usedBytes(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    // weak references are strong until a turn of the event loop ends
    await setImmediate();
    collectGarbage();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

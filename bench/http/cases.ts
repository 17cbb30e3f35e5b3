import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Rows } from '../data/rows.ts';
import { articleShape } from '../peers/shape.ts';
import { type BuiltReply, openBuilt } from '../program.ts';
import { queries } from '../queries/queries.ts';
import { headersSent, type RunningServer, startLectern, startPeer } from './servers.ts';

/** One server under one kind of load. */
export interface HttpCase {
  server: string;
  load: string;
  start: () => Promise<RunningServer>;
  /** Cases with the same key share a process. */
  key: string;
  paths: string[];
  /** The case of the bare server that this one is compared with; null for that one itself. */
  bare: HttpCase | null;
}

/**
 * A reply of one entry, and one of a page. `urls` are how many different ones are asked for: their replies take about
 * twice what a cache of the default size holds, or more, so that each has to be found again when its turn comes.
 */
const replySizes = [
  { size: 'one entry', urls: 100_000, path: oneEntryPath },
  { size: 'page of 25', urls: 20_000, path: pagePath },
];

/** Replies that are looked at to learn the usual size. */
const sampled = 200;

export async function httpCases(snapshot: string, rows: Rows, databaseFile: string): Promise<HttpCase[]> {
  const content = await openBuilt(snapshot, { cacheBytes: 0 });
  const cases: HttpCase[] = [];
  for (const { size, urls, path: pathOf } of replySizes) {
    const paths = Array.from({ length: urls }, (_, index) => pathOf(rows, index, urls));
    const replies = paths.slice(0, sampled).map((each) => content.answer(each, {}));
    const [path] = paths;
    const [reply] = replies;
    const usual = [...replies].sort((one, other) => one.body.length - other.body.length)[replies.length >> 1];

    const same = `one URL, ${size}`;
    const different = `a different URL each time, ${size}`;
    const headers = await headersSent(snapshot, path);
    const bareSame = bareCase(same, reply, headers, [path]);
    const bareDifferent = bareCase(different, usual, headers, paths);
    const lectern = { server: 'lectern serve', key: 'lectern', start: () => startLectern(snapshot) };
    const uncached = {
      server: 'lectern serve, caches off',
      key: 'uncached',
      start: () => startLectern(snapshot, { cacheBytes: 0 }),
    };
    const mounted = {
      server: 'Express with content.router()',
      key: 'mounted',
      start: () => startPeer({ kind: 'express-lectern', snapshot }),
    };
    const stringified = {
      server: 'Express with res.json',
      key: `json ${size}`,
      start: () => startPeer({ kind: 'express-json', body: reply.body.toString() }),
    };
    cases.push(
      bareSame,
      { ...lectern, load: same, paths: [path], bare: bareSame },
      { ...uncached, load: same, paths: [path], bare: bareSame },
      { ...mounted, load: same, paths: [path], bare: bareSame },
      { ...stringified, load: same, paths: [path], bare: bareSame },
      bareDifferent,
      { ...lectern, load: different, paths, bare: bareDifferent },
      { ...mounted, load: different, paths, bare: bareDifferent },
    );
  }
  writeDatabase(databaseFile, rows);
  const page = cases.find(({ load, bare }) => bare === null && load === 'one URL, page of 25')!;
  cases.push({
    server: 'json-server',
    load: 'one URL, page of 25, no filter',
    key: 'json-server',
    start: () => startPeer({ kind: 'json-server', database: databaseFile }),
    paths: ['/articles?_page=1&_limit=25'],
    bare: page,
  });
  return cases;
}

function bareCase(load: string, { body }: BuiltReply, headers: Record<string, string>, paths: string[]): HttpCase {
  const start = () => startPeer({ kind: 'node', body: body.toString(), headers });
  return { server: 'bare node:http', load, key: `bare ${load}`, start, paths, bare: null };
}

/** Every article in turn, then again with another page size: so many slugs there are not. */
function oneEntryPath({ articles }: Rows, index: number): string {
  const slugs = articles.length;
  const pageSize = 1 + (Math.floor(index / slugs) % 100);
  // a prime, so that neighbours in the list are no neighbours in memory
  const { slug } = articles[(index * 7919) % slugs];
  return `${queries.slug.url({ slug })}&pagination[pageSize]=${pageSize}`;
}

function pagePath(_rows: Rows, index: number, urls: number): string {
  const rating = Number((3.75 + ((index * 7919) % urls) / urls).toFixed(6));
  return queries.two.url({ premium: index % 2 === 0, rating });
}

/** More do not fit into one string, and json-server reads its file as one. */
const mostInDatabase = 100_000;

function writeDatabase(file: string, { articles }: Rows): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ articles: articles.slice(0, mostInDatabase).map(articleShape) }));
}

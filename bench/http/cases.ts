import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Rows } from '../data/rows.ts';
import { type BuiltReply, openBuilt } from '../lectern.ts';
import { articleShape } from '../peers/shape.ts';
import { type QueryName, queries } from '../queries/queries.ts';
import { parameterSets } from '../queries/sets.ts';
import { type RunningServer, startLectern, startPeer } from './servers.ts';

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

/** Far more replies than a cache of the default size holds, so that each has to be found again. */
const differentUrls = 20_000;

/** A reply of one entry, and one of a page. */
const replySizes: { size: string; query: QueryName }[] = [
  { size: 'one entry', query: 'slug' },
  { size: 'page of 25', query: 'two' },
];

export async function httpCases(snapshot: string, rows: Rows, databaseFile: string): Promise<HttpCase[]> {
  const content = await openBuilt(snapshot, { cacheBytes: 0 });
  const cases: HttpCase[] = [];
  for (const { size, query } of replySizes) {
    const paths = differentPaths(query, rows);
    const replies = paths.slice(0, 200).map((path) => content.answer(path, {}));
    const [path] = paths;
    const [reply] = replies;
    const usual = [...replies].sort((one, other) => one.body.length - other.body.length)[replies.length >> 1];

    const same = `one URL, ${size}`;
    const different = `a different URL each time, ${size}`;
    const bareSame = bareCase(same, reply, [path]);
    const bareDifferent = bareCase(different, usual, paths);
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

function bareCase(load: string, { body, headers }: BuiltReply, paths: string[]): HttpCase {
  const start = () => startPeer({ kind: 'node', body: body.toString(), headers });
  return { server: 'bare node:http', load, key: `bare ${load}`, start, paths, bare: null };
}

/** The ratings have three decimals, which are not different ratings enough: six more follow. */
function differentPaths(query: QueryName, rows: Rows): string[] {
  if (query !== 'two') return parameterSets(query, rows, differentUrls).map(({ url }) => url);
  return Array.from({ length: differentUrls }, (_, index) => {
    const rating = Number((3.75 + index / differentUrls).toFixed(6));
    return queries.two.url({ premium: index % 2 === 0, rating });
  });
}

function writeDatabase(file: string, { articles }: Rows): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ articles: articles.map(articleShape) }));
}

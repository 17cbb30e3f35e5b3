import { createHash } from 'node:crypto';
import type { Rows } from '../content/rows.ts';
import type { BuiltContent } from '../program.ts';
import { type Asked, drawSets, type Query, urlOf } from '../query.ts';

/** What is requested of the servers, and how. */
export interface Workload {
  name: string;
  query: Query;
  /** One path, or many different ones. */
  paths: string[];
  /** Different bodies among the replies, and the bytes of the replies together. */
  answers: number;
  bytes: number;
  headers?: Record<string, string>;
  /** Requests a second. Without it the client sends as many as it can. */
  rate?: number;
}

export const isPlain = ({ headers, rate }: Workload): boolean => !headers && !rate;

/** A query that is loaded over HTTP, with its URLs and with the reply of median size. */
export interface Loaded {
  query: Query;
  sets: Asked[];
  answers: number;
  bytes: number;
  usual: Asked;
  usualBody: string;
}

/** The default of `cacheBytes`. The replies to different URLs take twice as much, so that they do not fit. */
const cacheBytes = 64 * 2 ** 20;
const mostUrls = 100_000;
const mostDrawn = 20_000;

/** Draws the URLs of a query and gets Lectern's replies to all of them. */
export function loaded(query: Query, rows: Rows, content: BuiltContent): Loaded {
  const [{ find }] = drawSets(query, rows, 1);
  const entries = rows.type(find.type).length;
  // drawing as many different sets as there are entries takes long
  const drawn = drawSets(query, rows, Math.min(mostDrawn, Math.ceil(entries / 2)));
  const sample = drawn.slice(0, 200).map(({ url }) => content.answer(url, {}).body.length);
  const needed = Math.ceil((2 * cacheBytes * sample.length) / sample.reduce((sum, bytes) => sum + bytes, 0));
  const sets = withOtherPageSizes(drawn, Math.min(mostUrls, needed, 3 * entries), rows);
  const bodies = new Set<string>();
  const sizes: number[] = [];
  for (const { url } of sets) {
    const { status, body } = content.answer(url, {});
    if (status !== 200) throw new Error(`${url}: ${status} ${body}`);
    bodies.add(createHash('sha1').update(body).digest('base64'));
    sizes.push(body.length);
  }
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const median = [...sizes].sort((one, other) => one - other)[sizes.length >> 1];
  const usual = sets[sizes.indexOf(median)];
  return { query, sets, answers: bodies.size, bytes, usual, usualBody: content.answer(usual.url, {}).body.toString() };
}

/** As many sets as needed. If too few were drawn, they are repeated with larger pages, up to Lectern's maximum. */
function withOtherPageSizes(drawn: Asked[], needed: number, { schema }: Rows): Asked[] {
  const sets = drawn.slice(0, needed);
  for (let pageSize = 26; pageSize <= 100 && sets.length < needed; pageSize++) {
    for (const { find, operands } of drawn.slice(0, needed - sets.length)) {
      const larger = { ...find, pageSize };
      sets.push({ url: urlOf(larger, schema.type(find.type).plural), find: larger, operands });
    }
  }
  return sets;
}

/** The workloads of a query, `rate` being that of the fixed rate. */
export function workloadsOf({ query, sets, answers, bytes, usual, usualBody }: Loaded, rate: number): Workload[] {
  const size = query.http!;
  const same = { query, paths: [usual.url], answers: 1, bytes: Buffer.byteLength(usualBody) };
  const different = { query, paths: sets.map(({ url }) => url), answers, bytes };
  const all: Workload[] = [
    { name: `one URL, ${size}`, ...same },
    { name: `different URLs, ${size}`, ...different },
  ];
  if (size === 'one entry') return all;
  for (const coding of ['gzip', 'br']) {
    all.push({ name: `different URLs, ${size}, ${coding}`, ...different, headers: { 'Accept-Encoding': coding } });
  }
  return [...all, { name: `${rate} requests a second, different URLs, ${size}`, ...different, rate }];
}

import { isDeepStrictEqual } from 'node:util';
import type { HttpCase } from './cases.ts';
import type { ClientName } from './client.ts';
import { type Loading, loadInTurns, rowOf } from './measure.ts';
import type { HttpRow } from './result.ts';
import { type RunningServer, startLectern } from './servers.ts';

/** A Strapi that runs already, and the snapshot that was exported from it. */
export interface StrapiTask {
  url: string;
  snapshot?: string;
  /** What both are asked for, such as `/api/articles?populate=*`. */
  paths: string[];
}

export interface StrapiResult {
  client: ClientName;
  /** `ratio` is Lectern's requests a second over Strapi's. */
  rows: HttpRow[];
  /** Paths on which the two answer differently: they are not timed. */
  different: string[];
}

/** Lectern keeps no replies here: Strapi keeps none either. */
export async function measureStrapi(
  { url, snapshot, paths }: StrapiTask,
  loading: Loading,
  say: (line: string) => void,
): Promise<StrapiResult> {
  if (paths.length === 0) throw new Error('--strapi needs one --strapi-path or more, such as /api/articles?populate=*');
  const origin = new URL(url).origin;
  const strapi: RunningServer = { origin, processorTime: () => null, stop: () => {} };
  const running = new Map([['strapi', strapi]]);
  if (snapshot) running.set('lectern', await startLectern(snapshot, { dialect: 'strapi', cacheBytes: 0 }));
  try {
    const different: string[] = [];
    for (const path of snapshot ? paths : []) {
      const [theirs, ours] = await Promise.all([...running.values()].map((server) => answerOf(server, path)));
      if (!isDeepStrictEqual(ours, theirs)) different.push(path);
    }
    const alike = paths.filter((path) => !different.includes(path));
    const cases = alike.flatMap((path) => {
      const theirs: HttpCase = { ...common, server: 'Strapi', load: path, key: 'strapi', paths: [path], bare: null };
      const ours = { ...theirs, server: 'lectern serve, caches off', key: 'lectern', bare: theirs };
      return snapshot ? [theirs, ours] : [theirs];
    });
    const rounds = await loadInTurns(cases, running, loading, say);
    return { client: loading.client, rows: cases.map((each) => rowOf(each, rounds)), different };
  } finally {
    running.get('lectern')?.stop();
  }
}

async function answerOf({ origin }: RunningServer, path: string): Promise<unknown> {
  const response = await fetch(origin + path);
  return { status: response.status, body: await response.json() };
}

const common = { start: () => Promise.reject(new Error('it runs already')) };

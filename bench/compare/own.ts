import { answerOf } from '../http/answers.ts';
import { type ClientName, type LoadResult, load } from '../http/loads.ts';
import { type RunningServer, startLectern } from '../http/servers.ts';
import type { Progress } from '../progress.ts';
import { median, quantile } from '../statistics.ts';
import { type AnswerCheck, cut, differenceOf, summarize } from './answers.ts';
import { LibraryProcess, type Loaded, type Opening } from './library-process.ts';
import type { UrlGroup } from './urls.ts';
import { programOf, type Version } from './version.ts';

/** A group of URLs in process, caches off and on: milliseconds of a call, one number for each round. */
export interface OwnQueries {
  group: string;
  caches: 'off' | 'on';
  medians: number[];
  p99s: number[];
  medianBytes: number;
}

export interface OwnLoad {
  server: string;
  group: string;
  /** One for each round. `userMilliseconds` is the processor time for a request, null for a service elsewhere. */
  rounds: (LoadResult & { userMilliseconds: number | null })[];
}

/** Lectern over a snapshot of one's own, and the service that it is compared with. */
export interface OwnResult {
  snapshot: string;
  /** The service, by what its headers say and its address. */
  service: string | null;
  loads: Loaded[];
  /** What differs is said of the service. */
  answers: AnswerCheck[];
  queries: OwnQueries[];
  /** The slowest URLs in process with caches off, by their median in milliseconds. */
  slowest: { url: string; median: number }[];
  http: OwnLoad[];
}

export interface OwnTask {
  version: Version;
  opening: Opening;
  groups: UrlGroup[];
  /** The origin of another service that answers the same paths. */
  service: string | null;
  parts: readonly string[];
  client: ClientName;
  seconds: number;
  rounds: number;
}

/** Milliseconds that a group is asked for in a round, and the most calls of which every time is kept. */
const roundLength = 500;
const mostCalls = 20_000;

/** `save` is called with what there is after each part. */
export async function measureOwn(
  task: OwnTask,
  progress: Progress,
  save: (result: OwnResult, part: 'queries' | 'http') => void,
): Promise<void> {
  const result: OwnResult = {
    snapshot: task.opening.snapshot,
    service: task.service && (await serviceName(task.service, task.groups[0].urls[0])),
    loads: [],
    answers: [],
    queries: [],
    slowest: [],
    http: [],
  };
  // loading is measured by the processes that answer the queries
  if (task.parts.includes('inprocess') || task.parts.includes('load')) {
    await measureQueries(task, progress, result);
    save(result, 'queries');
  }
  if (task.parts.includes('http')) {
    await measureServers(task, progress, result);
    save(result, 'http');
  }
}

async function measureQueries({ version, opening, groups, rounds }: OwnTask, progress: Progress, result: OwnResult) {
  const times = new Map<string, number[]>();
  for (const caches of ['off', 'on'] as const) {
    const library = new LibraryProcess(version);
    try {
      progress.say(`in process, caches ${caches}: loading`);
      const settings = caches === 'off' ? { ...opening.settings, cacheBytes: 0 } : opening.settings;
      result.loads.push(await library.load({ ...opening, settings }));
      progress.begin('group', groups.length);
      for (const { name, urls } of groups) {
        progress.next(`${name}, caches ${caches}`);
        await library.begin(urls);
        const answers = await library.answers();
        if (caches === 'off') result.answers.push(await summarize(name, urls, answers, library));
        const found: OwnQueries = { group: name, caches, medians: [], p99s: [], medianBytes: 0 };
        found.medianBytes = median(answers.map(({ bytes }) => bytes));
        const { milliseconds } = await library.turn(0, urls.length);
        const passes = Math.ceil(Math.min(roundLength / milliseconds, mostCalls / urls.length));
        await library.times(passes);
        for (let round = 0; round < rounds; round++) {
          const measured = await library.times(passes);
          const ascending = Float64Array.from(measured).sort();
          found.medians.push(quantile(ascending, 0.5));
          found.p99s.push(quantile(ascending, 0.99));
          if (caches === 'on') continue;
          for (const [index, time] of measured.entries()) {
            const url = urls[index % urls.length];
            if (!times.has(url)) times.set(url, []);
            times.get(url)!.push(time);
          }
        }
        result.queries.push(found);
      }
    } finally {
      library.stop();
    }
  }
  const medians = [...times].map(([url, all]) => ({ url, median: median(all) }));
  result.slowest = medians.sort((one, other) => other.median - one.median).slice(0, 5);
}

/** Lectern as it is started by default, with caches off, and the service: all run, and one at a time is loaded. */
async function measureServers(task: OwnTask, progress: Progress, result: OwnResult): Promise<void> {
  const { version, opening, groups, service, client, seconds, rounds } = task;
  const headers = authorizationOf(opening);
  const servers: { name: string; origin: string; lectern?: RunningServer }[] = [];
  try {
    for (const [name, extra] of [
      ['Lectern', {}],
      ['Lectern, caches off', { cacheBytes: 0 }],
    ] as const) {
      const lectern = await startLectern(programOf(version), opening.snapshot, { ...opening.settings, ...extra });
      servers.push({ name, origin: lectern.origin, lectern });
    }
    if (service) {
      servers.push({ name: result.service!, origin: service });
      result.answers = await checkService(servers[0].origin, service, groups, headers);
    }
    const cases = groups.flatMap(({ name, urls }) =>
      servers.map((server) => ({ server, urls, found: { server: server.name, group: name, rounds: [] } as OwnLoad })),
    );
    result.http = cases.map(({ found }) => found);
    progress.begin('load over HTTP', cases.length * (rounds + 1));
    // the first round warms up
    for (let round = 0; round <= rounds; round++) {
      const first = Math.floor((round * cases.length) / (rounds + 1));
      for (const { server, urls, found } of [...cases.slice(first), ...cases.slice(0, first)]) {
        progress.next(`${found.server}, ${found.group}`);
        const { origin, lectern } = server;
        const before = await lectern?.processorTime();
        const loaded = await load({ client, origin, paths: urls, first: 0, seconds, headers });
        const after = await lectern?.processorTime();
        const user = before && after ? (after.user - before.user) / loaded.requests : null;
        if (round > 0) found.rounds.push({ ...loaded, userMilliseconds: user });
      }
    }
  } finally {
    for (const { lectern } of servers) lectern?.stop();
  }
}

export function authorizationOf({ authorization }: Opening): Record<string, string> {
  return authorization ? { authorization } : {};
}

async function checkService(ours: string, theirs: string, groups: UrlGroup[], headers: Record<string, string>) {
  const checks: AnswerCheck[] = [];
  for (const { name, urls } of groups) {
    const check: AnswerCheck = { group: name, urls: urls.length, distinct: 0, refused: 0, differing: 0 };
    const bodies = new Set<string>();
    for (const url of urls) {
      const [own, other] = await Promise.all([answerOf(ours, url, headers), answerOf(theirs, url, headers)]);
      bodies.add(own.text);
      if (own.status !== 200) {
        check.refused++;
        check.firstRefused ??= `${url}: ${own.status} ${cut(own.text)}`;
      }
      const difference = differenceOf(own, other);
      if (difference === null) continue;
      check.differing++;
      check.first ??= `${url}: ${difference}`;
    }
    checks.push({ ...check, distinct: bodies.size });
  }
  return checks;
}

/** What the headers of a service say that it is, and its address: "Strapi at 127.0.0.1:1337", or the address alone. */
export async function serviceName(origin: string, path: string): Promise<string> {
  const { headers } = await answerOf(origin, path);
  const named = headers['x-lectern-snapshot'] ? 'Lectern' : (headers['x-powered-by'] ?? headers.server);
  const { host } = new URL(origin);
  return named === undefined ? host : `${String(named).replace(/\s*<.*>/, '')} at ${host}`;
}

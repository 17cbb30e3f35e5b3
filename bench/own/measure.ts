import { replyDifference } from '../answers.ts';
import { answerOf } from '../http/answers.ts';
import type { ClientName } from '../http/loads.ts';
import type { HttpRow } from '../http/result.ts';
import { type RunningServer, startLectern } from '../http/servers.ts';
import { type LoadCase, loadInTurns } from '../http/turns.ts';
import { measureQuery, type PeerProcess, peerModule } from '../inprocess/measure.ts';
import type { Loaded } from '../inprocess/peer-main.ts';
import type { QueryResult } from '../inprocess/result.ts';
import { builtCli } from '../program.ts';
import type { Progress } from '../progress.ts';
import { OwnProcess } from '../task.ts';
import { type AskedContent, openingOf } from './content.ts';
import { askedUrl, type UrlGroup } from './urls.ts';

/** Lectern over a snapshot of one's own, and the service that it is compared with. */
export interface OwnResult {
  snapshot: string;
  /** The service, by what its headers say and its address. */
  service: string | null;
  /** One for each process. */
  loads: Loaded[];
  /** Each group of URLs, in process. The peers are Lectern with its caches off and on. */
  queries: QueryResult[];
  http: HttpRow[];
  /** Groups whose answers over HTTP are others at the service. */
  differing: Differing[];
}

interface Differing {
  group: string;
  urls: number;
  count: number;
  /** What differs at the first URL. */
  first: string;
}

interface OwnTask {
  content: AskedContent;
  /** The origin of another service that answers the same paths. */
  service: string | null;
  parts: readonly string[];
  client: ClientName;
  seconds: number;
  rounds: number;
}

/** A group is asked for half a second in a round, but always whole. */
const turnLength = { least: 500, most: Number.POSITIVE_INFINITY };

/** `save` is called with what there is after each part. */
export async function measureOwn(
  task: OwnTask,
  progress: Progress,
  save: (result: OwnResult, part: 'inprocess' | 'http') => void,
): Promise<void> {
  const { content, parts } = task;
  const service = task.service && (await serviceName(task.service, content.groups[0].urls[0]));
  const result: OwnResult = { snapshot: content.snapshot, service, loads: [], queries: [], http: [], differing: [] };
  // loading is measured by the processes that answer the queries
  if (parts.includes('inprocess') || parts.includes('load')) {
    await measureQueries(task, progress, result);
    save(result, 'inprocess');
  }
  if (parts.includes('http')) {
    await measureServers(task, progress, result);
    save(result, 'http');
  }
}

async function measureQueries({ content, rounds }: OwnTask, progress: Progress, result: OwnResult): Promise<void> {
  const { snapshot, groups } = content;
  const running = new Map<string, PeerProcess>();
  try {
    for (const peer of ['lectern', 'lectern-caches-on']) {
      progress.say(`loads ${peer}`);
      const started: PeerProcess = new OwnProcess(peerModule);
      running.set(peer, started);
      result.loads.push(await started.ask('load', { peer, snapshot, queries: [], opening: openingOf(content) }));
    }
    progress.begin('group', groups.length);
    for (const { name, urls } of groups) {
      progress.next(name);
      const described = { name, label: name, title: name };
      const measured = await measureQuery(described, urls.map(askedUrl), running, rounds, turnLength);
      result.queries.push({ ...measured, urls });
    }
  } finally {
    for (const peer of running.values()) peer.stop();
  }
}

/** Lectern as it is started by default, with caches off, and the service: all run, and one at a time is loaded. */
async function measureServers(task: OwnTask, progress: Progress, result: OwnResult): Promise<void> {
  const { content, service } = task;
  const { snapshot, settings, authorization, groups } = content;
  const headers: Record<string, string> = authorization ? { authorization } : {};
  const servers: [string, RunningServer][] = [];
  try {
    servers.push(['Lectern', await startLectern(builtCli, snapshot, settings)]);
    servers.push(['Lectern, caches off', await startLectern(builtCli, snapshot, { ...settings, cacheBytes: 0 })]);
    if (service) {
      servers.push([result.service!, { origin: service, declined: [], stop() {} }]);
      for (const group of groups) {
        const differing = await compareService(servers[0][1].origin, service, group, headers);
        if (differing) result.differing.push(differing);
      }
    }
    const cases = groups.flatMap(({ name: load, urls }) =>
      servers.map(([server, process]): LoadCase => {
        const list = `${server} ${load}`;
        return { server, load, process, paths: urls, headers, list, warmsUp: true };
      }),
    );
    const rounds = await loadInTurns(cases, task, progress);
    result.http = cases.map(({ server, load, paths }, index) => {
      const isReference = server === 'Lectern';
      return { server, load, urls: paths.length, rounds: rounds[index], isReference };
    });
  } finally {
    for (const [, server] of servers) server.stop();
  }
}

async function compareService(
  ours: string,
  theirs: string,
  { name, urls }: UrlGroup,
  headers: Record<string, string>,
): Promise<Differing | null> {
  const differences: string[] = [];
  for (const url of urls) {
    const [own, other] = await Promise.all([answerOf(ours, url, headers), answerOf(theirs, url, headers)]);
    const difference = replyDifference(own, other);
    if (difference !== null) differences.push(`${url}: ${difference}`);
  }
  return differences.length > 0
    ? { group: name, urls: urls.length, count: differences.length, first: differences[0] }
    : null;
}

/** What the headers of a service say that it is, and its address: "Strapi at 127.0.0.1:1337", or the address alone. */
export async function serviceName(origin: string, path: string): Promise<string> {
  const { headers } = await answerOf(origin, path);
  const named = headers['x-lectern-snapshot'] ? 'Lectern' : (headers['x-powered-by'] ?? headers.server);
  const { host } = new URL(origin);
  return named === undefined ? host : `${String(named).replace(/\s*<.*>/, '')} at ${host}`;
}

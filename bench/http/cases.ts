import { peers } from '../peers/index.ts';
import { builtCli } from '../program.ts';
import { answerOf } from './answers.ts';
import { type RunningServer, startLectern, startPeer } from './servers.ts';
import { isPlain, type Loaded, type Workload, workloadsOf } from './workloads.ts';

/** A program that answers over HTTP. */
interface Server {
  /** As it is named on the command line. */
  name: string;
  title: string;
  packages?: string[];
  /** It sends the same bytes for each request, which are not compared. Each query has a process of its own. */
  isConstant?: true;
  /** The workloads under which it is measured, if not under all. */
  only?(workload: Workload): boolean;
  start(snapshot: string, loaded: Loaded[]): Promise<RunningServer>;
}

/** Turns the log of slow requests off: under full load most requests would be in it. */
const log = { slowMilliseconds: 0 };

const own: Server[] = [
  {
    name: 'bare',
    title: 'bare node:http',
    isConstant: true,
    async start(snapshot, [{ usual, usualBody: body }]) {
      const lectern = await startLectern(builtCli, snapshot, { log });
      const { headers } = await answerOf(lectern.origin, usual.url).finally(lectern.stop);
      // Node adds these itself
      for (const name of ['content-length', 'date', 'connection', 'keep-alive']) delete headers[name];
      return startPeer({ kind: 'constant', body, headers });
    },
  },
  {
    name: 'lectern',
    title: 'lectern serve',
    start: (snapshot) => startLectern(builtCli, snapshot, { log }),
  },
  {
    name: 'lectern-caches-off',
    title: 'lectern serve, caches off',
    start: (snapshot) => startLectern(builtCli, snapshot, { log, cacheBytes: 0 }),
  },
  {
    name: 'express-router',
    title: 'Express with content.router()',
    only: isPlain,
    start: (snapshot) => startPeer({ kind: 'router', snapshot }),
  },
  {
    name: 'express-json',
    title: 'Express with res.json of one object',
    isConstant: true,
    only: (workload) => isPlain(workload) && workload.paths.length === 1,
    start: (_snapshot, [{ usualBody: body }]) => startPeer({ kind: 'stringify', body }),
  },
];

/** Every peer of the in-process part except Lectern, behind node:http. */
const behindHttp = peers
  .filter(({ readsSnapshot }) => !readsSnapshot)
  .map(
    ({ name: peer, title, packages }): Server => ({
      name: peer,
      title: `${title}, node:http`,
      packages,
      start: (snapshot, loaded) => {
        const queries = loaded.map(({ query: { name }, sets }) => ({ name, sets }));
        return startPeer({ kind: 'peer', peer, snapshot, queries });
      },
    }),
  );

export const servers: readonly Server[] = [...own, ...behindHttp];
export const defaultServers = [...own.map(({ name }) => name), 'sqlite-tuned-ready', 'map-ready'];

/** One server under one workload. */
export interface HttpCase {
  server: Server;
  workload: Workload;
  /** Cases with the same key share a process. */
  key: string;
  start(): Promise<RunningServer>;
}

export function casesOf(names: string[], snapshot: string, loaded: Loaded[], rate: number): HttpCase[] {
  const cases: HttpCase[] = [];
  for (const each of loaded) {
    for (const workload of workloadsOf(each, rate)) {
      for (const server of servers) {
        if (!names.includes(server.name) || server.only?.(workload) === false) continue;
        const { isConstant, name } = server;
        const key = isConstant ? `${name} ${each.query.name}` : name;
        const start = () => server.start(snapshot, isConstant ? [each] : loaded);
        cases.push({ server, workload, key, start });
      }
    }
  }
  return cases;
}

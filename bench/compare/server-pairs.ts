import { loadHere } from '../http/loads.ts';
import { type RunningServer, startLectern } from '../http/servers.ts';
import type { UrlGroup } from '../own/urls.ts';
import type { Opening } from '../peers/peer.ts';
import type { Progress } from '../progress.ts';
import {
  addPair,
  type Figure,
  type Measured,
  measurePair,
  pairsForVerdict,
  pairTurns,
  type Sides,
  steadyFlags,
} from './pairs.ts';
import { programOf, type Version } from './version.ts';

/** How often new servers are started: what V8 makes of the same code differs from process to process. */
const starts = 2;
/** Seconds of load. */
const warming = 2;
const turnLength = 0.5;

interface ServerTask {
  versions: Sides<Version>;
  snapshot: string;
  opening: Opening;
  /** A load goes through the URLs of its group in turn. A group with one URL repeats it. */
  groups: UrlGroup[];
  progress: Progress;
}

/** Processor time of two servers for a request, pair by pair. Both run, and one at a time is loaded. */
export async function compareServers(task: ServerTask, figures: Figure[]): Promise<void> {
  const { versions, snapshot, opening, groups, progress } = task;
  const perStart = pairsForVerdict / starts;
  progress.begin('pair over HTTP', pairsForVerdict * groups.length);
  for (let start = 0; start < starts; start++) {
    const running: RunningServer[] = [];
    const begin = async (version: Version) => {
      const server = await startLectern(programOf(version), snapshot, opening.settings, steadyFlags(start));
      running.push(server);
      return server;
    };
    try {
      const servers = { ours: await begin(versions.ours), theirs: await begin(versions.theirs) };
      for (const { name, urls } of groups) {
        const load = (side: keyof typeof servers) => new LoadedServer(servers[side], urls, opening);
        const sides = { ours: load('ours'), theirs: load('theirs') };
        for (const side of ['theirs', 'ours'] as const) await sides[side].load(warming);
        for (let pair = 0; pair < perStart; pair++) {
          progress.next(name);
          const cost = await measurePair(sides, pairTurns(pair, false));
          addPair(figures, { part: 'http', name, unit: 'milliseconds' }, cost);
        }
      }
    } finally {
      for (const server of running) server.stop();
    }
  }
}

/** Goes on in the list of URLs where the last load ended. */
class LoadedServer implements Measured {
  readonly #server: RunningServer;
  readonly #urls: string[];
  readonly #headers: Record<string, string>;
  #asked = 0;

  constructor(server: RunningServer, urls: string[], { authorization }: Opening) {
    this.#server = server;
    this.#urls = urls;
    this.#headers = authorization ? { authorization } : {};
  }

  async start(): Promise<number> {
    return (await this.#server.processorTime!()).user;
  }

  async turn() {
    const calls = await this.load(turnLength);
    return { calls, userMilliseconds: await this.start() };
  }

  /** Gives the number of requests that were answered. */
  async load(seconds: number): Promise<number> {
    const { origin } = this.#server;
    const task = { client: 'autocannon', origin, paths: this.#urls, first: this.#asked, seconds } as const;
    const { requests } = await loadHere({ ...task, headers: this.#headers });
    if (!(requests > 0)) throw new Error(`${origin} answered no request in ${seconds} s.`);
    this.#asked += requests;
    return requests;
  }
}

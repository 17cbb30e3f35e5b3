import { loadHere } from '../http/loads.ts';
import { type RunningServer, startLectern } from '../http/servers.ts';
import type { Sides } from './library-pairs.ts';
import type { Opening } from './library-process.ts';
import type { Figures } from './result.ts';
import { pairsForVerdict, pairTurns } from './statistics.ts';
import type { UrlGroup } from './urls.ts';
import { programOf, type Version } from './version.ts';

/** How often new servers are started: what V8 makes of the same code differs from process to process. */
const starts = 2;
/** Seconds of load. */
const warming = 2;
const turnLength = 0.5;

interface ServerTask {
  versions: Sides<Version>;
  opening: Opening;
  /** A load goes through the URLs of its group in turn. A group with one URL repeats it. */
  groups: UrlGroup[];
  /** Is called after each pair, with the share of the whole that is done. */
  progress(share: number): void;
}

/** Processor time of two servers for a request, pair by pair. Both run, and one at a time is loaded. */
export async function compareServers(task: ServerTask, figures: Figures): Promise<void> {
  const { versions, opening, groups } = task;
  const perStart = pairsForVerdict / starts;
  let done = 0;
  for (let start = 0; start < starts; start++) {
    const running: RunningServer[] = [];
    const begin = async (version: Version) => {
      const server = await startLectern(programOf(version), opening.snapshot, opening.settings);
      running.push(server);
      return server;
    };
    try {
      const servers = { ours: await begin(versions.ours), theirs: await begin(versions.theirs) };
      for (const [index, { name, urls }] of groups.entries()) {
        const walks = { ours: new Walk(servers.ours, urls, opening), theirs: new Walk(servers.theirs, urls, opening) };
        for (const side of ['theirs', 'ours'] as const) await walks[side].load(warming);
        for (let pair = 0; pair < perStart; pair++) {
          const spent = { ours: { requests: 0, user: 0 }, theirs: { requests: 0, user: 0 } };
          for (const side of pairTurns(pair + index)) {
            const { requests, user } = await walks[side].load(turnLength);
            spent[side].requests += requests;
            spent[side].user += user;
          }
          const cost = ({ user, requests }: { user: number; requests: number }) => user / requests;
          figures.add('http', name, 'milliseconds', { ours: cost(spent.ours), theirs: cost(spent.theirs) });
          task.progress(++done / (pairsForVerdict * groups.length));
        }
      }
    } finally {
      for (const server of running) server.stop();
    }
  }
}

/** Goes on in the list of URLs where the last load ended. */
class Walk {
  readonly #server: RunningServer;
  readonly #urls: string[];
  readonly #headers: Record<string, string>;
  #asked = 0;

  constructor(server: RunningServer, urls: string[], { authorization }: Opening) {
    this.#server = server;
    this.#urls = urls;
    this.#headers = authorization ? { authorization } : {};
  }

  async load(seconds: number): Promise<{ requests: number; user: number }> {
    const { origin } = this.#server;
    const before = await this.#server.processorTime();
    const task = { client: 'autocannon', origin, paths: this.#urls, first: this.#asked, seconds } as const;
    const { requests } = await loadHere({ ...task, headers: this.#headers });
    const after = await this.#server.processorTime();
    if (!(requests > 0)) throw new Error(`${origin} answered no request in ${seconds} s.`);
    this.#asked += requests;
    return { requests, user: after.user - before.user };
  }
}

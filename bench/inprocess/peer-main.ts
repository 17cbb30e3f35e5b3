import { createHash } from 'node:crypto';
import { Rows, readRows } from '../content/rows.ts';
import { Schema } from '../content/schema.ts';
import { peerNamed } from '../peers/index.ts';
import type { Answer, Answerer, Opening } from '../peers/peer.ts';
import { queryNamed } from '../queries/index.ts';
import type { Asked, Query } from '../query.ts';
import { answerRequests } from '../task.ts';
import { type Turn, type TurnLength, takeTurn } from './timing.ts';

/** The process of a peer: one peer, one query at a time. `begin` names the query that later requests are about. */

let answerer: Answerer;
let answer: Answer;
let query: AskedQuery;
let sets: Asked[] = [];
/** The set with which the next turn begins. */
let next = 0;

type AskedQuery = Pick<Query, 'name' | 'newForms'>;

/** What it took to open a peer. */
export interface Loaded {
  milliseconds: number;
  /** Processor time of all threads in user mode. */
  userMilliseconds: number;
  /** What objects and buffers take after the garbage has been collected. */
  liveBytes: number;
  /** The most that was resident, above what was resident before. */
  peakBytes: number;
}

/** What is known of an answer without its text. */
export interface Surveyed {
  digest: string;
  bytes: number;
  kind: 'entries' | 'no entries' | 'error';
}

const collect = (globalThis as { gc?: (options?: object) => void }).gc ?? (() => {});
const userMilliseconds = () => process.cpuUsage().user / 1000;

const handlers = {
  /** `queries` are the names of those that will be asked. */
  async load(task: { peer: string; snapshot: string; queries: string[]; opening?: Opening }): Promise<Loaded> {
    const { snapshot, queries, opening } = task;
    const peer = peerNamed(task.peer);
    await peer.loadCode?.(opening);
    // what a peer is not given takes no memory
    const rows = peer.readsSnapshot ? new Rows(new Schema(snapshot)) : readRows(snapshot);
    const before = liveBytes();
    const resident = process.memoryUsage.rss();
    const started = performance.now();
    const user = userMilliseconds();
    answerer = await peer.open({ snapshot, rows, queries: queries.map(queryNamed), opening });
    return {
      milliseconds: performance.now() - started,
      userMilliseconds: userMilliseconds() - user,
      // the system gives KiB
      peakBytes: process.resourceUsage().maxRSS * 1024 - resident,
      liveBytes: liveBytes() - before,
    };
  },

  /** Gets ready for a query and answers the first sets. */
  begin(task: { query: AskedQuery; sets: Asked[]; compared: number }): Begun {
    ({ query, sets } = task);
    next = 0;
    try {
      const prepared = answerer(query, sets);
      if (!prepared) return { declined: true };
      answer = prepared;
      return { replies: sets.slice(0, task.compared).map((asked) => answer(asked).toString()) };
    } catch (error) {
      return { problem: (error as Error).message };
    }
  },

  /** Answers all sets. */
  survey: (): Surveyed[] =>
    sets.map((asked) => {
      const body = answer(asked);
      const digest = createHash('sha256').update(body).digest('base64');
      return { digest, bytes: body.length, kind: kindOf(body.toString('latin1', 0, 25)) };
    }),

  text: ({ set }: { set: number }): string => answer(sets[set]).toString(),

  async turn({ length }: { length: TurnLength }): Promise<Turn> {
    collect();
    const turn = await takeTurn(answer, sets, next, length);
    // forms that are to be new each time go on where the last turn ended
    if (query.newForms) next = (next + turn.times.length) % sets.length;
    return turn;
  },

  /**
   * Leaves no garbage of earlier calls, and gives the processor time so far. A full collection would make V8 drop
   * compiled code whose maps are gone.
   */
  collectYoung(): number {
    collect({ type: 'minor' });
    return userMilliseconds();
  },

  /** Answers so many sets from one of them on, and gives the processor time so far. */
  calls({ from, count }: { from: number; count: number }): number {
    for (let call = 0, set = from % sets.length; call < count; call++) {
      answer(sets[set]);
      if (++set === sets.length) set = 0;
    }
    return userMilliseconds();
  },
};

type Begun = { replies: string[] } | { declined: true } | { problem: string };

export type PeerHandlers = typeof handlers;

function liveBytes(): number {
  // the second collection frees what finalizers have let go
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Lectern writes no spaces between tokens. */
function kindOf(start: string): Surveyed['kind'] {
  if (start.startsWith('{"data":null,"error"')) return 'error';
  return start.startsWith('{"data":[]') || start.startsWith('{"data":null') ? 'no entries' : 'entries';
}

answerRequests(handlers);

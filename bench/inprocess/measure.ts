import { readRows } from '../data/rows.ts';
import type { PeerName } from '../peers/peers.ts';
import type { QueryName } from '../queries/queries.ts';
import { type ParameterSet, parameterSets } from '../queries/sets.ts';
import { firstDifference } from './check.ts';
import { PeerProcess } from './peer-process.ts';
import { cellOf, type InprocessResult, type QueryResult } from './result.ts';
import { median, type Turn } from './timing.ts';

export interface InprocessTask {
  snapshot: string;
  entries: number;
  queries: QueryName[];
  peers: PeerName[];
  sets: number;
  repeat: number;
  /** The most that one peer's heap may take. */
  heapBytes: number;
}

/** In milliseconds. Warming up is over when the compiler had its say, or after one pass of a slow peer. */
const warming = { least: 300, most: 1500 };
const turn = { least: 150, most: 1500 };

/** How many parameter sets the answers are compared on before any timing. */
const comparedSets = 25;

/** Each peer has a process of its own, and one at a time has work. Query after query: compared, warmed up, timed. */
export async function measureInprocess(task: InprocessTask, say: (line: string) => void): Promise<InprocessResult> {
  const { snapshot, entries } = task;
  const running = new Map<PeerName, PeerProcess>();
  try {
    const loads: InprocessResult['loads'] = [];
    for (const peer of task.peers) {
      const started = new PeerProcess(task.heapBytes);
      running.set(peer, started);
      loads.push({ peer, ...(await started.ask('load', { peer, snapshot })) });
      say(`${peer} has its rows`);
    }
    const rows = readRows(snapshot);
    const queries: QueryResult[] = [];
    for (const name of task.queries) {
      say(`query ${name}`);
      queries.push(await measureQuery(name, parameterSets(name, rows, task.sets), running, task.repeat));
    }
    return { entries, articles: rows.articles.length, loads, queries };
  } finally {
    for (const peer of running.values()) peer.stop();
  }
}

async function measureQuery(
  name: QueryName,
  sets: ParameterSet[],
  all: Map<PeerName, PeerProcess>,
  repeat: number,
): Promise<QueryResult> {
  const { right, wrong, replies } = await compare(name, sets, all);
  for (const [, peer] of right) await peer.ask('turn', { length: warming });
  const turns = new Map<PeerName, Turn[]>(right.map(([peerName]) => [peerName, []]));
  for (let round = 0; round < repeat; round++) {
    // each round begins with another peer, so that nobody always runs after the same one
    const start = (round * Math.ceil(right.length / repeat)) % right.length;
    for (const [peerName, peer] of [...right.slice(start), ...right.slice(0, start)]) {
      turns.get(peerName)!.push(await peer.ask('turn', { length: turn }));
    }
  }
  const [referenceTurns] = turns.values();
  return {
    name,
    sets: sets.length,
    medianBytes: median(replies.map((reply) => Buffer.byteLength(reply))),
    medianMatches: median(replies.map((reply) => JSON.parse(reply).meta.pagination.total as number)),
    cells: [...turns].map(([peerName, taken]) => cellOf(peerName, taken, referenceTurns)),
    wrong,
  };
}

/** The first peer's replies are what the others have to give. */
async function compare(name: QueryName, sets: ParameterSet[], all: Map<PeerName, PeerProcess>) {
  const wrong: QueryResult['wrong'] = [];
  const right: [PeerName, PeerProcess][] = [];
  let expected: string[] | undefined;
  for (const [peerName, peer] of all) {
    const answer = await peer.ask('begin', { name, sets, compared: comparedSets });
    if ('problem' in answer) {
      if (!expected) throw new Error(`${peerName}: ${answer.problem}`);
      wrong.push({ peer: peerName, difference: answer.problem });
      continue;
    }
    expected ??= answer.replies;
    const difference = firstDifference(sets, answer.replies, expected);
    if (difference === null) right.push([peerName, peer]);
    else wrong.push({ peer: peerName, difference });
  }
  return { right, wrong, replies: expected ?? [] };
}

import { readRows } from '../data/rows.ts';
import type { Peer } from '../peers/peer.ts';
import { type PeerName, peers } from '../peers/peers.ts';
import type { QueryName } from '../queries/queries.ts';
import { type ParameterSet, parameterSets } from '../queries/sets.ts';
import { firstDifference } from './check.ts';
import { cellOf, type InprocessResult, type QueryResult } from './result.ts';
import { median, type Turn, takeTurn } from './timing.ts';

export interface InprocessTask {
  snapshot: string;
  entries: number;
  queries: QueryName[];
  peers: PeerName[];
  sets: number;
  repeat: number;
}

/** In milliseconds. Warming up is over when the compiler had its say, or after one pass of a slow peer. */
const warming = { least: 300, most: 1500 };
const turn = { least: 150, most: 1500 };

/** How many parameter sets the answers are compared on before any timing. */
const comparedSets = 25;

const collectGarbage = (globalThis as { gc?: () => void }).gc ?? (() => {});

/** All peers in one process, query after query: compared, warmed up, then timed in turns. */
export async function measureInprocess(task: InprocessTask, say: (line: string) => void): Promise<InprocessResult> {
  const rows = readRows(task.snapshot);
  const loaded = new Map<PeerName, Peer>();
  const loads: InprocessResult['loads'] = [];
  for (const name of task.peers) {
    const started = performance.now();
    const peer = peers[name]();
    await peer.load(rows, task.snapshot);
    loads.push({ peer: name, milliseconds: performance.now() - started });
    loaded.set(name, peer);
    say(`${name} has its rows`);
  }
  const queries: QueryResult[] = [];
  for (const name of task.queries) {
    say(`query ${name}`);
    queries.push(measureQuery(name, parameterSets(name, rows, task.sets), loaded, task.repeat));
  }
  return { entries: task.entries, articles: rows.articles.length, loads, queries };
}

function measureQuery(name: QueryName, sets: ParameterSet[], all: Map<PeerName, Peer>, repeat: number): QueryResult {
  const [reference] = all.values();
  const wrong: QueryResult['wrong'] = [];
  const right: [PeerName, Peer][] = [];
  for (const [peerName, peer] of all) {
    const difference = firstDifference(reference, peer, name, sets.slice(0, comparedSets));
    if (difference === null) right.push([peerName, peer]);
    else wrong.push({ peer: peerName, difference });
  }

  for (const [, peer] of right) {
    peer.prepare?.(name, sets);
    takeTurn(peer, name, sets, warming);
  }
  const turns = new Map<PeerName, Turn[]>(right.map(([peerName]) => [peerName, []]));
  for (let round = 0; round < repeat; round++) {
    // each round begins with another peer, so that nobody always runs after the same one
    const start = (round * Math.ceil(right.length / repeat)) % right.length;
    for (const [peerName, peer] of [...right.slice(start), ...right.slice(0, start)]) {
      collectGarbage();
      turns.get(peerName)!.push(takeTurn(peer, name, sets, turn));
    }
  }
  const [referenceTurns] = turns.values();
  const replies = sets.map((set) => reference.query(name, set));
  return {
    name,
    sets: sets.length,
    medianBytes: median(replies.map(({ length }) => length)),
    medianMatches: median(replies.map((reply) => JSON.parse(reply.toString()).meta.pagination.total as number)),
    cells: [...turns].map(([peerName, taken]) => cellOf(peerName, taken, referenceTurns)),
    wrong,
  };
}

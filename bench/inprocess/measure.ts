import { readRows } from '../content/rows.ts';
import type { Progress } from '../progress.ts';
import { queryNamed } from '../queries/index.ts';
import { type Asked, drawSets, type Query } from '../query.ts';
import { median } from '../statistics.ts';
import { firstDifference } from './check.ts';
import { PeerProcess } from './peer-process.ts';
import type { InprocessResult, PeerResult, QueryResult, TurnResult } from './result.ts';
import { figuresOf, type Turn, timesBySet } from './timing.ts';

export interface InprocessTask {
  content: string;
  snapshot: string;
  entries: number;
  /** The type that most queries ask for. */
  main: string;
  /** Names of queries and of peers. */
  queries: string[];
  peers: string[];
  sets: number;
  rounds: number;
  /** The most that one peer's heap may take. */
  heapBytes: number;
}

/** In milliseconds. Warming up is over when the compiler had its say, or after one pass of a slow peer. */
const warming = { least: 300, most: 1500 };
const turnLength = { least: 150, most: 1500 };

/** How many sets the answers are compared on before any timing. */
const comparedSets = 25;

/** Each peer has a process of its own, and one at a time has work. Each query is compared, warmed up and timed. */
export async function measureInprocess(task: InprocessTask, progress: Progress): Promise<InprocessResult> {
  const { content, snapshot, entries, queries } = task;
  const running = new Map<string, PeerProcess>();
  try {
    progress.begin('peer', task.peers.length);
    for (const peer of task.peers) {
      progress.next(`loads ${peer}`);
      const started = new PeerProcess(task.heapBytes);
      running.set(peer, started);
      await started.ask('load', { peer, snapshot, queries });
    }
    const rows = readRows(snapshot);
    const results: QueryResult[] = [];
    progress.begin('query', queries.length);
    for (const name of queries) {
      progress.next(name);
      const query = queryNamed(name);
      const sets = drawSets(query, rows, query.newForms ?? task.sets);
      results.push(await measureQuery(query, sets, running, task.rounds));
    }
    return { content, entries, served: rows.type(task.main).length, queries: results };
  } finally {
    for (const peer of running.values()) peer.stop();
  }
}

async function measureQuery(
  { name, label, title, outsideMeans = false, newForms }: Query,
  sets: Asked[],
  all: Map<string, PeerProcess>,
  rounds: number,
): Promise<QueryResult> {
  const { right, wrong, declined, replies } = await compare(name, sets, all);
  const [[, first]] = right;
  const { answers } = await first.ask('count', {});
  for (const [, peer] of right) await peer.ask('turn', { length: warming });
  const turns = new Map<string, Turn[]>(right.map(([peerName]) => [peerName, []]));
  for (let round = 0; round < rounds; round++) {
    // each round begins with another peer, so that nobody always runs after the same one
    const start = (round * Math.ceil(right.length / rounds)) % right.length;
    for (const [peerName, peer] of [...right.slice(start), ...right.slice(0, start)]) {
      turns.get(peerName)!.push(await peer.ask('turn', { length: turnLength }));
    }
  }
  const [reference] = turns.values();
  return {
    name,
    label,
    title,
    outsideMeans,
    sets: sets.length,
    answers,
    medianBytes: median(replies.map((reply) => Buffer.byteLength(reply))),
    empty: replies.filter((reply) => JSON.parse(reply).data.length === 0).length,
    newForms: newForms !== undefined,
    medianMatches: median(replies.map((reply) => JSON.parse(reply).meta.pagination.total as number)),
    peers: [...turns].map(([peer, taken]) => peerResult(peer, taken, reference, sets.length)),
    declined,
    wrong,
  };
}

/** The first peer's replies are what the others have to give. */
async function compare(query: string, sets: Asked[], all: Map<string, PeerProcess>) {
  const wrong: QueryResult['wrong'] = [];
  const declined: string[] = [];
  const right: [string, PeerProcess][] = [];
  let expected: string[] | undefined;
  for (const [peer, running] of all) {
    const answer = await running.ask('begin', { query, sets, compared: comparedSets });
    if ('declined' in answer) {
      declined.push(peer);
    } else if ('problem' in answer) {
      if (!expected) throw new Error(`${peer} cannot answer the query ${query}: ${answer.problem}`);
      wrong.push({ peer, difference: answer.problem });
    } else {
      expected ??= answer.replies;
      const difference = firstDifference(sets, answer.replies, expected);
      if (difference === null) right.push([peer, running]);
      else wrong.push({ peer, difference });
    }
  }
  return { right, wrong, declined, replies: expected ?? [] };
}

function peerResult(peer: string, turns: Turn[], references: Turn[], sets: number): PeerResult {
  const bySet = turns.map((turn) => timesBySet(turn, sets));
  return {
    peer,
    turns: turns.map((turn, round) => turnResult(turn, references[round], bySet[round], sets)),
    samples: samplesOf(bySet, sets),
  };
}

function turnResult(turn: Turn, reference: Turn, bySet: Map<number, number>, sets: number): TurnResult {
  const { times, first, userMilliseconds, slow } = turn;
  // turns that begin at different sets have few in common, and compare as they are
  const shared =
    first === reference.first ? reference.times.filter((_, call) => bySet.has((first + call) % sets)) : reference.times;
  return { ...figuresOf(times), calls: times.length, userMilliseconds, slow, reference: figuresOf(shared) };
}

/** More are not written down: sets of new forms are many and asked once. */
const mostSamples = 1000;

function samplesOf(rounds: Map<number, number>[], sets: number): (number | null)[] {
  if (sets > mostSamples) return [];
  return Array.from({ length: sets }, (_, set) => {
    const times = rounds.flatMap((bySet) => bySet.get(set) ?? []);
    return times.length > 0 ? Number((median(times) * 1000).toPrecision(3)) : null;
  });
}

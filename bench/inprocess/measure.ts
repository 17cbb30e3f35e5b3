import { differenceOf } from '../answers.ts';
import { readRows } from '../content/rows.ts';
import type { Progress } from '../progress.ts';
import { queryNamed } from '../queries/index.ts';
import { type Asked, drawSets, type Query } from '../query.ts';
import { median, startingElsewhere } from '../statistics.ts';
import { OwnProcess } from '../task.ts';
import type { PeerHandlers, Surveyed } from './peer-main.ts';
import type { InprocessResult, PeerResult, QueryResult, TurnResult } from './result.ts';
import { figuresOf, type Turn, type TurnLength, timesBySet } from './timing.ts';

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

export type PeerProcess = OwnProcess<PeerHandlers>;

export const peerModule = './inprocess/peer-main.ts';

/** The compiler is done after the first; the second bounds the warm-up of a slow peer. */
const warming: TurnLength = { least: 300, most: 1500 };
const turnLength: TurnLength = { least: 150, most: 1500 };

/** How many sets the answers are compared on before any timing. */
const comparedSets = 25;

/** Each peer has a process of its own, and one at a time has work. Each query is compared, warmed up and timed. */
export async function measureInprocess(task: InprocessTask, progress: Progress): Promise<InprocessResult> {
  const { content, snapshot, entries, queries, heapBytes, rounds } = task;
  const running = new Map<string, PeerProcess>();
  try {
    progress.begin('peer', task.peers.length);
    for (const peer of task.peers) {
      progress.next(`loads ${peer}`);
      const started: PeerProcess = new OwnProcess(peerModule, { heapBytes });
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
      results.push(await measureQuery(query, sets, running, rounds, turnLength));
    }
    return { content, entries, served: rows.type(task.main).length, queries: results };
  } finally {
    for (const peer of running.values()) peer.stop();
  }
}

/** What is said of a query in its result. */
type Described = Pick<Query, 'name' | 'label' | 'title' | 'outsideMeans' | 'newForms'>;

/** The first of the peers is what the others are compared with. */
export async function measureQuery(
  { name, label, title, outsideMeans = false, newForms }: Described,
  sets: Asked[],
  all: Map<string, PeerProcess>,
  rounds: number,
  length: TurnLength,
): Promise<QueryResult> {
  const { right, wrong, declined, replies } = await compare({ name, newForms }, sets, all);
  const [[, first]] = right;
  const surveyed = await first.ask('survey');
  for (const [, peer] of right) await peer.ask('turn', { length: warming });
  const turns = new Map<string, Turn[]>(right.map(([peer]) => [peer, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [peer, process] of startingElsewhere(right, round, rounds))
      turns.get(peer)!.push(await process.ask('turn', { length }));
  }
  const [reference] = turns.values();
  const count = (kind: Surveyed['kind']) => surveyed.filter((each) => each.kind === kind).length;
  const error = surveyed.findIndex(({ kind }) => kind === 'error');
  return {
    name,
    label,
    title,
    outsideMeans,
    sets: sets.length,
    answers: new Set(surveyed.map(({ digest }) => digest)).size,
    medianBytes: median(surveyed.map(({ bytes }) => bytes)),
    empty: count('no entries'),
    errors: count('error'),
    firstError: error < 0 ? undefined : `${sets[error].url}: ${await first.ask('text', { set: error })}`,
    newForms: newForms !== undefined,
    medianMatches: median(replies.map((reply) => JSON.parse(reply).meta?.pagination?.total ?? 0)),
    peers: [...turns].map(([peer, taken]) => peerResult(peer, taken, reference, sets.length, newForms === undefined)),
    declined,
    wrong,
  };
}

/** Compares the replies of all peers with those of the first. */
async function compare(query: Pick<Query, 'name' | 'newForms'>, sets: Asked[], all: Map<string, PeerProcess>) {
  const wrong: QueryResult['wrong'] = [];
  const declined: string[] = [];
  const right: [string, PeerProcess][] = [];
  let expected: string[] | undefined;
  for (const [peer, running] of all) {
    const begun = await running.ask('begin', { query, sets, compared: comparedSets });
    if ('declined' in begun) {
      declined.push(peer);
    } else if ('problem' in begun) {
      if (!expected) throw new Error(`${peer} cannot answer the query ${query.name}: ${begun.problem}`);
      wrong.push({ peer, difference: begun.problem });
    } else {
      expected ??= begun.replies;
      const differences = begun.replies.map((reply, set) => differenceOf(expected![set], reply));
      const first = differences.findIndex((difference) => difference !== null);
      if (first < 0) right.push([peer, running]);
      else wrong.push({ peer, difference: `${sets[first].url}: ${differences[first]}` });
    }
  }
  return { right, wrong, declined, replies: expected ?? [] };
}

function peerResult(peer: string, turns: Turn[], references: Turn[], sets: number, isSampled: boolean): PeerResult {
  const bySet = turns.map((turn) => timesBySet(turn, sets));
  return {
    peer,
    turns: turns.map((turn, round) => turnResult(turn, references[round], bySet[round], sets)),
    samples: isSampled ? samplesOf(bySet, sets) : [],
  };
}

function turnResult(turn: Turn, reference: Turn, bySet: Map<number, number>, sets: number): TurnResult {
  const { times, first, userMilliseconds, slow } = turn;
  // turns that begin at different sets share few of them, and are compared as a whole
  const shared =
    first === reference.first ? reference.times.filter((_, call) => bySet.has((first + call) % sets)) : reference.times;
  return { ...figuresOf(times), calls: times.length, userMilliseconds, slow, reference: figuresOf(shared) };
}

function samplesOf(rounds: Map<number, number>[], sets: number): (number | null)[] {
  return Array.from({ length: sets }, (_, set) => {
    const times = rounds.flatMap((bySet) => bySet.get(set) ?? []);
    return times.length > 0 ? Number((median(times) * 1000).toPrecision(3)) : null;
  });
}

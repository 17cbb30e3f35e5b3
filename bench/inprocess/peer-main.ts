import { createHash } from 'node:crypto';
import { Rows, readRows } from '../content/rows.ts';
import { Schema } from '../content/schema.ts';
import { peerNamed } from '../peers/index.ts';
import type { Answer, Answerer } from '../peers/peer.ts';
import { queryNamed } from '../queries/index.ts';
import type { Asked, Query } from '../query.ts';
import type { Requests } from './peer-process.ts';
import { takeTurn } from './timing.ts';

/** The side of a peer's process: one peer, one query at a time. */

let answerer: Answerer;
let answer: Answer;
let query: Query;
let sets: Asked[] = [];
/** The set with which the next turn begins. */
let next = 0;

const collectGarbage = (globalThis as { gc?: () => void }).gc ?? (() => {});

type Handlers = {
  [Kind in keyof Requests]: (
    task: Requests[Kind]['ask'],
  ) => Requests[Kind]['answer'] | Promise<Requests[Kind]['answer']>;
};

const handlers: Handlers = {
  async load({ peer: name, snapshot, queries }) {
    const peer = peerNamed(name);
    // what a peer is not given takes no memory
    const rows = peer.readsSnapshot ? new Rows(new Schema(snapshot)) : readRows(snapshot);
    const started = performance.now();
    answerer = await peer.open({ snapshot, rows, queries: queries.map(queryNamed) });
    return { milliseconds: performance.now() - started };
  },
  begin(task) {
    sets = task.sets;
    next = 0;
    query = queryNamed(task.query);
    try {
      const prepared = answerer(query, sets);
      if (!prepared) return { declined: true };
      answer = prepared;
      return { replies: sets.slice(0, task.compared).map((asked) => answer(asked).toString()) };
    } catch (error) {
      return { problem: (error as Error).message };
    }
  },
  count: () => ({ answers: new Set(sets.map((asked) => createHash('sha1').update(answer(asked)).digest('hex'))).size }),
  async turn({ length }) {
    collectGarbage();
    const turn = await takeTurn(answer, sets, next, length);
    // forms that are to be new each time go on where the last turn ended
    if (query.newForms) next = (next + turn.times.length) % sets.length;
    return turn;
  },
};

process.on('message', async ({ kind, task }: { kind: keyof Requests; task: never }) => {
  try {
    process.send!(await handlers[kind](task));
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
});

import { type Rows, readRows } from '../data/rows.ts';
import type { Peer } from '../peers/peer.ts';
import { peers } from '../peers/peers.ts';
import type { QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';
import type { Requests } from './peer-process.ts';
import { takeTurn } from './timing.ts';

/** The side of a peer's process: one peer, one query at a time. */

let peer: Peer;
let name: QueryName;
let sets: ParameterSet[] = [];

const collectGarbage = (globalThis as { gc?: () => void }).gc ?? (() => {});

type Handlers = {
  [Kind in keyof Requests]: (
    task: Requests[Kind]['ask'],
  ) => Requests[Kind]['answer'] | Promise<Requests[Kind]['answer']>;
};

const handlers: Handlers = {
  async load({ peer: peerName, snapshot }) {
    // Lectern reads the snapshot itself; what it is not given takes no memory
    const none: Rows = { articles: [], authors: [], teams: [], categories: [] };
    const rows = peerName.startsWith('lectern') ? none : readRows(snapshot);
    const started = performance.now();
    peer = peers[peerName]();
    await peer.load(rows, snapshot);
    return { milliseconds: performance.now() - started };
  },
  begin(task) {
    ({ name, sets } = task);
    try {
      peer.prepare?.(name, sets);
      return { replies: sets.slice(0, task.compared).map((set) => peer.query(name, set).toString()) };
    } catch (error) {
      return { problem: (error as Error).message };
    }
  },
  turn({ length }) {
    collectGarbage();
    return takeTurn(peer, name, sets, length);
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

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PeerName } from '../peers/peers.ts';
import type { QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';
import { heapOption } from '../task.ts';
import type { Turn, TurnLength } from './timing.ts';

/** What a peer can be told. Each request has one answer. */
export interface Requests {
  load: { ask: { peer: PeerName; snapshot: string }; answer: { milliseconds: number } };
  /** Takes up a query, and answers the first so many sets, or says why it cannot. */
  begin: {
    ask: { name: QueryName; sets: ParameterSet[]; compared: number };
    answer: { replies: string[] } | { problem: string };
  };
  turn: { ask: { length: TurnLength }; answer: Turn };
}

/** A peer in a process of its own: its heap, its compiled code and its garbage are nobody else's. */
export class PeerProcess {
  readonly #child: ChildProcess;

  constructor(heapBytes: number) {
    this.#child = fork(fileURLToPath(new URL('./peer-main.ts', import.meta.url)), {
      execArgv: [...process.execArgv, '--expose-gc', heapOption(heapBytes)],
    });
  }

  ask<Kind extends keyof Requests>(kind: Kind, task: Requests[Kind]['ask']): Promise<Requests[Kind]['answer']> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`a peer's process ended with ${code}`));
      this.#child.once('exit', ended);
      this.#child.once('message', (answer) => {
        this.#child.off('exit', ended);
        resolve(answer as Requests[Kind]['answer']);
      });
      this.#child.send({ kind, task });
    });
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

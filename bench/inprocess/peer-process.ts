import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Asked } from '../query.ts';
import { heapOption } from '../task.ts';
import type { Turn, TurnLength } from './timing.ts';

/** What a peer's process can be asked. Each request has one answer. */
export interface Requests {
  /** Queries are those that will be asked. */
  load: { ask: { peer: string; snapshot: string; queries: string[] }; answer: { milliseconds: number } };
  /** Gets ready for a query and answers the first sets. */
  begin: {
    ask: { query: string; sets: Asked[]; compared: number };
    answer: { replies: string[] } | { declined: true } | { problem: string };
  };
  /** Counts the different answers to all sets. */
  count: { ask: object; answer: { answers: number } };
  turn: { ask: { length: TurnLength }; answer: Turn };
}

/** A peer in a process of its own: its heap, its compiled code and its garbage are nobody else's. */
export class PeerProcess {
  readonly #child: ChildProcess;

  constructor(heapBytes: number) {
    this.#child = fork(fileURLToPath(new URL('./peer-main.ts', import.meta.url)), {
      execArgv: [...process.execArgv, '--expose-gc', heapOption(heapBytes)],
      // typed arrays are sent as they are
      serialization: 'advanced',
    });
  }

  ask<Kind extends keyof Requests>(kind: Kind, task: Requests[Kind]['ask']): Promise<Requests[Kind]['answer']> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null, signal: string | null) =>
        reject(new Error(`A peer's process ended with ${signal ?? code}.`));
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

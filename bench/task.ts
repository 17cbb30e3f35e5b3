import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Parts of a run have processes of their own, so that one's memory and compiled code are not another's. */

/** What a process can be asked, by name. */
// biome-ignore lint/suspicious/noExplicitAny: each handler has a task of its own
export type Handlers = Record<string, (task: any) => unknown>;

/** Three quarters of so much memory may be heap. Zero leaves the heap as Node sizes it. */
export function heapOptions(bytes: number): string[] {
  return bytes > 0 ? [`--max-old-space-size=${Math.floor((bytes * 0.75) / 2 ** 20)}`] : [];
}

/** A module of this folder in a process of its own, which answers one request after the other. */
export class OwnProcess<Known extends Handlers> {
  readonly #child: ChildProcess;
  #ended: string | null = null;

  constructor(module: string, { heapBytes = 0, flags = [] as string[] } = {}) {
    this.#child = fork(fileURLToPath(new URL(module, import.meta.url)), {
      execArgv: [...process.execArgv, '--expose-gc', ...heapOptions(heapBytes), ...flags],
      // typed arrays are sent as they are
      serialization: 'advanced',
    });
    this.#child.once('exit', (code, signal) => {
      this.#ended = `The process of ${module} ended with ${signal ?? code}.`;
    });
  }

  ask<Kind extends keyof Known & string>(
    kind: Kind,
    ...tasks: Parameters<Known[Kind]>
  ): Promise<Awaited<ReturnType<Known[Kind]>>> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error(this.#ended!));
      if (this.#ended) return ended();
      this.#child.once('exit', ended);
      this.#child.once('message', (reply: { answer: Awaited<ReturnType<Known[Kind]>> } | { problem: string }) => {
        this.#child.off('exit', ended);
        if ('problem' in reply) reject(new Error(reply.problem));
        else resolve(reply.answer);
      });
      this.#child.send({ kind, task: tasks[0] });
    });
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

/** The other side. */
export function answerRequests(handlers: Handlers): void {
  process.on('message', async ({ kind, task }: { kind: string; task: unknown }) => {
    try {
      process.send!({ answer: await handlers[kind](task) });
    } catch (error) {
      process.send!({ problem: (error as Error).message });
    }
  });
  process.once('disconnect', () => process.exit());
}

/** Asks a process that answers one request, `work`, and ends it. */
export async function inOwnProcess<Result>(module: string, task: object, heapBytes = 0): Promise<Result> {
  const own = new OwnProcess<{ work(task: object): Result }>(module, { heapBytes });
  try {
    return (await own.ask('work', task)) as Result;
  } finally {
    own.stop();
  }
}

/** What all threads of a process have in common: their tasks, their calls of one another, and their priority. */
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { type MessagePort, parentPort, type Worker } from 'node:worker_threads';
import { type BirpcReturn, createBirpc } from 'birpc';

/** Lets the threads that answer requests go before this one. Only Linux has priorities of threads. */
export function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
}

/** Runs the tasks that arrive at a port, one after another, and sends the result of each. `run` must not reject. */
export async function runTasks<Task, Result>(port: MessagePort, run: (task: Task) => Promise<Result>): Promise<never> {
  for (;;) {
    // the next task comes only after the result of this one
    const [task] = (await once(port, 'message')) as [Task];
    port.postMessage(await run(task));
  }
}

/**
 * Calls functions of a thread, which calls those of `local`. `ended` is called with an error that the thread did not catch,
 * or null, and its exit code. Calls then reject with the result.
 */
export function callThread<Remote extends object, Local extends object>(
  worker: Worker,
  local: Local,
  ended: (error: Error | null, exitCode: number) => Error,
): BirpcReturn<Remote, Local> {
  const functions = createBirpc<Remote, Local>(local, {
    post: (message) => worker.postMessage(message),
    on: (receive) => worker.on('message', receive),
    timeout: -1,
  });
  let uncaught: Error | null = null;
  worker.once('error', (error: Error) => (uncaught = error));
  worker.once('exit', (exitCode) => functions.$close(ended(uncaught, exitCode)));
  return functions;
}

/** The other end of `callThread`. Nothing waits for the calls of `events`. */
export function callParent<Remote extends object, Local extends object>(
  local: Local,
  events: readonly (keyof Remote)[],
): BirpcReturn<Remote, Local> {
  return createBirpc<Remote, Local>(local, {
    post: (message) => parentPort!.postMessage(message),
    on: (receive) => parentPort!.on('message', receive),
    eventNames: [...events],
    timeout: -1,
  });
}

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Parts of the run have processes of their own, so that one's memory and compiled code are not another's. */

/** Three quarters of so much memory may be heap. */
export function heapOption(bytes: number): string {
  return `--max-old-space-size=${Math.floor((bytes * 0.75) / 2 ** 20)}`;
}

/**
 * Starts a module of this folder in a process of its own, sends it the task, and gives what it sends back. With
 * `heapBytes` the heap may be larger than Node's default.
 */
export function inOwnProcess<Result>(module: string, task: object, heapBytes = 0): Promise<Result> {
  const heap = heapBytes > 0 ? [heapOption(heapBytes)] : [];
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), {
    execArgv: [...process.execArgv, '--expose-gc', ...heap],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (result) => {
      resolve(result as Result);
      child.disconnect();
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`${module} ended with ${signal ?? code}`)));
    child.send(task);
  });
}

/** The other side: takes the task and sends the result. */
export function answerTask<Task>(work: (task: Task) => unknown): void {
  process.once('message', async (task) => {
    try {
      process.send!(await work(task as Task));
    } catch (error) {
      console.error(error);
      process.exit(1);
    }
  });
}

/** Runs a step with its limit of time. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Step } from './steps.ts';

export interface Outcome {
  readonly step: Step;
  /** Why it has failed or was not run. Null if it has passed. */
  readonly failure: string | null;
  readonly seconds: number;
  /** The line of counts that it printed. */
  readonly counts: string | null;
  /** The file with its output. Null if it was not run. */
  readonly log: string | null;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Milliseconds in which processes may end by themselves before they are killed. */
const grace = 20_000;

/**
 * Runs a step, with its output in a file. After its limit, or when `interrupted` is aborted, ends it with all processes that
 * it has started. A step passes if it ends with status 0 and has printed its counts.
 */
export async function runStep(step: Step, log: string, interrupted: AbortSignal): Promise<Outcome> {
  const started = performance.now();
  const output = openSync(log, 'w');
  const [program, ...args] = step.command;
  // a group of its own, which is ended as a whole
  const child = spawn(program, args, { cwd: root, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  const limit = AbortSignal.timeout(step.limit * 60_000);
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => resolve(code === 0 ? null : signal ? `ended by ${signal}` : `status ${code}`));
    limit.addEventListener('abort', () => resolve(`over its limit of ${step.limit} minutes`));
    interrupted.addEventListener('abort', () => resolve('interrupted'));
    if (interrupted.aborted) resolve('interrupted');
  });
  const failure = await ended;
  if (child.pid !== undefined) await endGroup(child.pid);
  const seconds = (performance.now() - started) / 1000;
  const counts = countsIn(readFileSync(log, 'utf8'), step.counts);
  return { step, failure: failure ?? (counts === null ? 'printed no counts' : null), seconds, counts, log };
}

/** Ends what is left of a group of processes. */
async function endGroup(group: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return;
  for (const deadline = performance.now() + grace; performance.now() < deadline; await sleep(100)) {
    if (!signalGroup(group, 0)) return;
  }
  signalGroup(group, 'SIGKILL');
}

/** Returns whether the group has processes. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

/** Returns the last line that matches. */
function countsIn(output: string, pattern: RegExp): string | null {
  return output.split('\n').findLast((line) => pattern.test(line)) ?? null;
}

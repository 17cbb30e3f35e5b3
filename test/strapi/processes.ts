/** Child processes: their output goes to files in the scratch folder, and none outlives the script. */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Command {
  program: string;
  args: string[];
  cwd: string;
  /** File that takes the output. */
  log: string;
  environment?: Record<string, string>;
  /** The user to run as. */
  user?: { uid: number; gid: number };
}

export interface Running {
  readonly pid: number;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Asks `isReady` until it is true. Throws if the process ends before, or after ten minutes. */
  ready(isReady: () => Promise<boolean>): Promise<void>;
}

const startTime = 600_000;
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGINT');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

function launch({ program, args, cwd, log, environment, user }: Command): ChildProcess {
  const output = openSync(log, 'w');
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', output, output],
    uid: user?.uid,
    gid: user?.gid,
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode);
    child.once('error', reject).once('exit', resolve);
  });

/** Runs a command to its end. Throws with the last lines of its output if it fails. */
export async function run(command: Command): Promise<void> {
  const code = await ended(launch(command));
  if (code !== 0) throw failure(command, `ended with ${code}`);
}

/** Starts a command that stays up. */
export function start(command: Command): Running {
  const child = launch(command);
  const end = ended(child);
  return {
    pid: child.pid!,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await end;
    },
    async ready(isReady) {
      for (const deadline = Date.now() + startTime; Date.now() < deadline; await sleep(200)) {
        if (!running.has(child)) throw failure(command, 'ended at once');
        if (await isReady().catch(() => false)) return;
      }
      throw failure(command, 'did not get ready');
    },
  };
}

function failure({ program, args, log }: Command, what: string): Error {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-20);
  return new Error(`${program} ${args.join(' ')} ${what} (${log}):\n${lines.join('\n')}`);
}

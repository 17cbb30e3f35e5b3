import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { heapOptions } from '../task.ts';
import type { Listening, ServerTask } from './server-main.ts';

/** A server in a process of its own, which ends with this process, or a service elsewhere. */
export interface RunningServer extends Listening {
  /** Processor time of all threads so far, in milliseconds. Not of a service elsewhere. */
  processorTime?(): Promise<{ user: number; system: number }>;
  stop(): void;
}

/** Starts one of the servers of server-main.ts. */
export function startPeer(task: ServerTask): Promise<RunningServer> {
  const child = fork(fileURLToPath(new URL('./server-main.ts', import.meta.url)), {
    execArgv: [...process.execArgv, ...heapOptions(totalmem())],
  });
  child.send(task);
  const listening = once(child, 'message').then(([message]) => message as Listening);
  return started(child, `the server "${task.kind}"`, listening);
}

/** Starts `lectern serve` on a free port. `cli` is the path of its dist/cli.js, `flags` are for Node. */
export function startLectern(
  cli: string,
  snapshot: string,
  config: object = {},
  flags: string[] = [],
): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const configFile = join(folder, 'config.json');
  // Lectern's log is only shown if it does not start
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'w');
  writeFileSync(configFile, JSON.stringify({ port: 0, ...config }));
  const preload = new URL('./processor-time.mjs', import.meta.url).href;
  const command = [...flags, '--import', preload, cli, 'serve', snapshot, '--config', configFile];
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', log, 'ipc'],
  });
  closeSync(log);
  const listening = new Promise<Listening>((resolve) => {
    let output = '';
    child.stdout!.on('data', (text) => {
      output += text;
      const origin = /http:\/\/[^\s/]+/.exec(output)?.[0];
      if (origin) resolve({ origin, declined: [] });
    });
  });
  return started(child, 'lectern serve', listening, () => readFileSync(logFile, 'utf8')).finally(() =>
    rmSync(folder, { recursive: true }),
  );
}

async function started(
  child: ChildProcess,
  name: string,
  listening: Promise<Listening>,
  logged = () => '',
): Promise<RunningServer> {
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${name} ended with ${signal ?? code} before it listened. ${logged()}`.trim());
  });
  ended.catch(() => {});
  return {
    ...(await Promise.race([listening, ended])),
    async processorTime() {
      child.send('processor time');
      const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
      return { user: user / 1000, system: system / 1000 };
    },
    stop: () => child.kill(),
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { afterEach } from 'vitest';
import { cli } from './cli.ts';
import { type AskOptions, askServer, type HttpAnswer } from './http.ts';

/** A module for `--extend` with a route `/end`, which ends the thread that answers it. */
export const ending = `export default { customRoutes: [{
  path: '/end',
  handler: () => { setTimeout(() => { throw new Error('not caught'); }, 10); return { data: 'ends' }; },
}] };`;

/** `lectern serve` as a process, with its log. */
export interface ServingProcess {
  readonly child: ChildProcess;
  readonly port: number;
  /** Null without an admin port. */
  readonly adminPort: number | null;
  /** Lines of the log so far. */
  readonly lines: Record<string, any>[];
  /** Resolves with the first line for which `isIt` returns true. */
  line(isIt: (line: Record<string, any>) => boolean): Promise<Record<string, any>>;
  /** Resolves with exit code and signal. */
  readonly exit: Promise<[number | null, string | null]>;
}

const running: ChildProcess[] = [];

/** Ends the processes of each test after it. */
export function endProcessesAfterEach(): void {
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });
}

/** Starts a server on a free port and waits until it serves. Settings are those of a config file. */
export async function startProcess(snapshot: string, args: string[], settings: object = {}): Promise<ServingProcess> {
  const serving = spawnProcess(snapshot, ['--port', '0', ...args], settings);
  const ended = serving.exit.then(([code]) => {
    throw new Error(`serve ended with ${code}: ${JSON.stringify(serving.lines)}`);
  });
  const { address, adminAddress } = await Promise.race([serving.line(({ msg }) => msg === 'serving'), ended]);
  const portOf = (url: string) => Number(new URL(url).port);
  return { ...serving, port: portOf(address), adminPort: adminAddress === undefined ? null : portOf(adminAddress) };
}

/** Starts a server and does not wait. Its port is that of the arguments. */
export function spawnProcess(snapshot: string, args: string[], settings: object = {}): ServingProcess {
  const defaults = JSON.stringify({ log: { format: 'json' }, ...settings });
  const inherited = Object.entries(process.env).filter(([name]) => !/^(LECTERN_|PORT$|HOST$|LOG_LEVEL$)/.test(name));
  const env = { ...Object.fromEntries(inherited), LECTERN_DEFAULTS: defaults };
  const child = spawn(process.execPath, [cli, 'serve', snapshot, ...args], { env });
  running.push(child);
  const lines: Record<string, any>[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (data: string) => {
    const [last, ...whole] = (rest + data).split('\n').reverse();
    rest = last;
    lines.push(...whole.reverse().map((line) => JSON.parse(line)));
    for (const check of waiting) check();
  });
  const line = (isIt: (line: Record<string, any>) => boolean) =>
    new Promise<Record<string, any>>((resolve) => {
      const check = () => {
        const found = lines.find(isIt);
        if (!found) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  const exit = once(child, 'exit') as ServingProcess['exit'];
  return { child, port: Number(args[args.indexOf('--port') + 1]), adminPort: null, lines, line, exit };
}

let connections = 0;

/** Asks on one connection that stays open. */
export type Ask = (path: string, options?: AskOptions) => Promise<HttpAnswer>;

/**
 * Returns a connection to each thread. The server has to log requests. The system spreads connections at random, so it
 * opens new ones until every thread has answered.
 */
export async function connectionsByThread({ port, line }: ServingProcess, threads: number): Promise<Map<number, Ask>> {
  const found = new Map<number, Ask>();
  while (found.size < threads) {
    const path = `/connection-${++connections}`;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask: Ask = (path, options) => askServer(port, path, { ...options, agent });
    await ask(path);
    const { thread } = await line((logged) => logged.path === path);
    if (found.has(thread)) agent.destroy();
    else found.set(thread, ask);
  }
  return found;
}

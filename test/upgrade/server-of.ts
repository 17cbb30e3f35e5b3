/** `lectern serve` of any version, as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type AskOptions, askServer, type HttpAnswer } from '../support/http.ts';

/** Milliseconds for a start on a busy machine. */
const startTime = 60_000;

/** A start that ended with a message in place of a server, or waits for a source that nobody starts. */
export class Refused extends Error {}

export interface RunningVersion {
  ask(path: string, options?: AskOptions): Promise<HttpAnswer>;
  askAdmin(path: string, options?: AskOptions): Promise<HttpAnswer>;
  /** Warnings and errors of its log. */
  readonly problems: readonly string[];
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Kills the servers that still run. */
export function killServers(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Serves with the command line at `cli`, and returns when content is served. Rejects with a Refused that has the last line of
 * the log, and with an Error if that is no sentence for users.
 */
export async function serveWith(cli: string, args: readonly string[]): Promise<RunningVersion> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(LECTERN_|PORT$|HOST$|LOG_LEVEL$)/.test(name));
  const env = { ...Object.fromEntries(inherited), LECTERN_DEFAULTS: '{"log":{"format":"json"}}' };
  const child = spawn(process.execPath, [cli, 'serve', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  const exit = once(child, 'exit').finally(() => running.delete(child));
  const problems: string[] = [];
  let last: LogLine = {};
  const serving = new Promise<LogLine>((resolve, reject) => {
    createInterface({ input: child.stderr! }).on('line', (text) => {
      last = parseLine(text);
      if (last.msg === 'serving') resolve(last);
      if (last.msg?.startsWith('the start waits')) reject(new Refused(last.msg));
      if (last.level! > 30) problems.push(last.msg!);
    });
  });
  const ended = exit.then(() => {
    if (last.msg === undefined || last.err) throw new Error(`${args.join(' ')}: ended with ${JSON.stringify(last)}`);
    throw new Refused(last.msg);
  });
  ended.catch(() => {});
  const timer = setTimeout(() => child.kill('SIGKILL'), startTime);
  const started = await Promise.race([serving, ended])
    .finally(() => clearTimeout(timer))
    .catch((error: Error) => {
      child.kill('SIGKILL');
      throw error;
    });
  const { address, adminAddress } = started;
  const [port, adminPort] = [address, adminAddress].map((url) => Number(new URL(url!).port));
  return {
    ask: (path, options) => askServer(port, path, options),
    askAdmin: (path, options) => askServer(adminPort, path, options),
    problems,
    stop: async () => {
      child.kill('SIGTERM');
      await exit;
    },
  };
}

interface LogLine {
  readonly level?: number;
  readonly msg?: string;
  readonly err?: unknown;
  readonly address?: string;
  readonly adminAddress?: string;
}

function parseLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: 60, err: text };
  }
}

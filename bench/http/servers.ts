import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtCli } from '../program.ts';
import type { ServerTask } from './server.ts';

/** A server that runs in a process of its own. */
export interface RunningServer {
  origin: string;
  /** User and system time so far, in milliseconds; null where the system does not tell. */
  processorTime(): number | null;
  stop(): void;
}

export function startPeer(task: ServerTask): Promise<RunningServer> {
  const child = fork(fileURLToPath(new URL('./server.ts', import.meta.url)));
  child.send(task);
  return started(child, 'a server', (found) => child.once('message', (origin) => found(String(origin))));
}

/** `lectern serve`, as users run it, on a free port. */
export function startLectern(snapshot: string, config: object = {}): Promise<RunningServer> {
  const configFile = join(mkdtempSync(join(tmpdir(), 'lectern-bench-')), 'config.json');
  writeFileSync(configFile, JSON.stringify({ port: 0, ...config }));
  const options = [builtCli, 'serve', snapshot, '--config', configFile];
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  return started(child, 'lectern serve', (found) => {
    child.stdout.on('data', (text) => {
      output += text;
      const address = /http:\/\/[^\s/]+/.exec(output)?.[0];
      if (address) found(address);
    });
  });
}

/** The headers that `lectern serve` sends with a reply, but for its length and those that Node adds. */
export async function headersSent(snapshot: string, path: string): Promise<Record<string, string>> {
  const server = await startLectern(snapshot);
  try {
    const raw = await new Promise<string[]>((resolve, reject) => {
      get(server.origin + path, (response) => {
        response.resume();
        resolve(response.rawHeaders);
      }).on('error', reject);
    });
    const headers: Record<string, string> = {};
    for (let i = 0; i < raw.length; i += 2) if (!addedByNode.has(raw[i])) headers[raw[i]] = raw[i + 1];
    return headers;
  } finally {
    server.stop();
  }
}

const addedByNode = new Set(['Content-Length', 'Date', 'Connection', 'Keep-Alive']);

function started(
  child: ChildProcess,
  what: string,
  listen: (found: (origin: string) => void) => void,
): Promise<RunningServer> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null) => reject(new Error(`${what} ended with ${code} before it listened`));
    child.once('error', reject).once('exit', failed);
    listen((origin) => {
      child.off('exit', failed);
      resolve({ origin, processorTime: () => processorTime(child.pid!), stop: () => child.kill() });
    });
  });
}

/** Linux counts in ticks, a hundred a second. */
function processorTime(pid: number): number | null {
  if (process.platform !== 'linux') return null;
  // the name of the program, in parentheses, may hold spaces
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

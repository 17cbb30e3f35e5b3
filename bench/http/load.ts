import { pathInPackages } from '../packages.ts';
import { answerTask } from '../task.ts';

/** Loads a server from a process of its own: one thread, so that the server has the other core. */

export const connections = 32;

export interface LoadTask {
  origin: string;
  /** What to ask for. Each connection takes a part of its own, so no two connections ask for the same. */
  paths: string[];
  seconds: number;
}

export interface LoadResult {
  requestsPerSecond: number;
  /** In milliseconds. */
  p50: number;
  p99: number;
  bytesPerReply: number;
  requests: number;
  /** Replies with another status than 2xx, broken connections and timeouts. */
  errors: number;
}

interface Client {
  setRequests(requests: { method: string; path: string }[]): void;
}

interface Instance extends PromiseLike<{ errors: number; timeouts: number; non2xx: number }> {
  on(event: 'response', take: (client: Client, status: number, bytes: number, milliseconds: number) => void): void;
}

type Autocannon = (options: object) => Instance;

async function load({ origin, paths, seconds }: LoadTask): Promise<LoadResult> {
  const { default: autocannon } = (await import(pathInPackages('autocannon'))) as { default: Autocannon };
  let clients = 0;
  const setupClient = (client: Client) => {
    const first = clients++;
    const own = paths.length === 1 ? paths : paths.filter((_, index) => index % connections === first);
    client.setRequests(own.map((path) => ({ method: 'GET', path })));
  };
  const instance = autocannon({ url: origin, connections, duration: seconds, setupClient });
  const times: number[] = [];
  let bytes = 0;
  const started = performance.now();
  let last = started;
  instance.on('response', (_client, _status, length, milliseconds) => {
    times.push(milliseconds);
    bytes += length;
    last = performance.now();
  });
  const { errors, timeouts, non2xx } = await instance;
  const ascending = Float64Array.from(times).sort();
  return {
    requestsPerSecond: (times.length / (last - started)) * 1000,
    p50: ascending[Math.floor(times.length * 0.5)],
    p99: ascending[Math.floor(times.length * 0.99)],
    bytesPerReply: bytes / times.length,
    requests: times.length,
    errors: errors + timeouts + non2xx,
  };
}

answerTask(load);

import { pathInPackage } from '../packages.ts';
import { connections, type LoadResult, type LoadTask } from './client.ts';

interface Client {
  setRequests(requests: { method: string; path: string }[]): void;
}

interface Instance extends PromiseLike<{ errors: number; timeouts: number; non2xx: number }> {
  on(event: 'response', take: (client: Client, status: number, bytes: number, milliseconds: number) => void): void;
}

type Autocannon = (options: object) => Instance;

/** Each connection walks a part of the paths of its own, so that no two ask for the same. */
export async function loadWithAutocannon({ origin, paths, first, seconds }: LoadTask): Promise<LoadResult> {
  const { default: autocannon } = (await import(pathInPackage('autocannon'))) as { default: Autocannon };
  let clients = 0;
  const setupClient = (client: Client) => {
    const number = clients++;
    const own = paths.length === 1 ? paths : paths.filter((_, index) => index % connections === number);
    const begin = Math.floor(first / connections) % own.length;
    const turned = [...own.slice(begin), ...own.slice(0, begin)];
    client.setRequests(turned.map((path) => ({ method: 'GET', path })));
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

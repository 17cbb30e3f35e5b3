import type Autocannon from 'autocannon';
import { packaged } from '../packages.ts';
import { quantile } from '../statistics.ts';
import { connections, type LoadResult, type LoadTask } from './loads.ts';

/** Each connection requests its own share of the paths, so that no two connections request the same one. */
export async function loadWithAutocannon({ origin, paths, first, seconds, headers }: LoadTask): Promise<LoadResult> {
  const autocannon = packaged<typeof Autocannon>('autocannon');
  let clients = 0;
  const setupClient = (client: Autocannon.Client) => {
    const number = clients++;
    const share = paths.length < connections ? paths : paths.filter((_, index) => index % connections === number);
    const begin = Math.floor(first / connections) % share.length;
    const turned = [...share.slice(begin), ...share.slice(0, begin)];
    client.setRequests(turned.map((path) => ({ method: 'GET', path })));
  };
  const latencies: number[] = [];
  let bytes = 0;
  const started = performance.now();
  let last = started;
  const { errors, timeouts, non2xx } = await new Promise<Autocannon.Result>((resolve, reject) => {
    const options = { url: origin, connections, duration: seconds, headers, setupClient };
    autocannon(options, (error, result) => (error ? reject(error) : resolve(result))).on(
      'response',
      (_client, _status, replyBytes, milliseconds) => {
        latencies.push(milliseconds);
        bytes += replyBytes;
        last = performance.now();
      },
    );
  });
  const ascending = Float64Array.from(latencies).sort();
  return {
    requests: latencies.length,
    requestsPerSecond: (latencies.length / (last - started)) * 1000,
    p50: quantile(ascending, 0.5),
    p99: quantile(ascending, 0.99),
    max: quantile(ascending, 1),
    bytesPerReply: bytes / Math.max(1, latencies.length),
    errors: errors + timeouts + non2xx,
  };
}

import { Agent, get } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';
import { Random } from '../random.ts';
import { quantile } from '../statistics.ts';
import type { LoadResult, LoadTask } from './loads.ts';

/** A server that keeps up with the rate needs only a few connections. */
const mostConnections = 64;
/** How long the client waits for replies after the last request. */
const graceMilliseconds = 2000;

/**
 * Sends requests at random moments (a Poisson process), whether or not earlier ones have been answered, as independent
 * users do. A latency counts from the moment at which the request was due, so it includes the wait for a free
 * connection (no "coordinated omission"). autocannon is not used here: it sends a second's requests at the start of
 * each second, and none on a connection that waits for a reply.
 */
export async function loadAtFixedRate(task: LoadTask): Promise<LoadResult> {
  const { origin, paths, first, seconds, headers, rate = 500 } = task;
  const server = urlToHttpOptions(new URL(origin));
  const agent = new Agent({ keepAlive: true, maxSockets: mostConnections });
  const random = new Random(first + 1);
  const latencies: number[] = [];
  const delays: number[] = [];
  const waiting = new Set<number>();
  let bytes = 0;
  let errors = 0;
  const send = (path: string, due: number) => {
    waiting.add(due);
    const take = (failed: boolean) => {
      if (!waiting.delete(due)) return;
      last = performance.now();
      latencies.push(last - due);
      if (failed) errors++;
    };
    get({ ...server, path, agent, headers }, (response) => {
      response.on('data', (chunk) => {
        bytes += chunk.length;
      });
      response.on('end', () => take(response.statusCode! < 200 || response.statusCode! > 299));
      response.on('error', () => take(true));
    }).on('error', () => take(true));
  };

  const started = performance.now();
  let last = started;
  const end = started + seconds * 1000;
  let due = started;
  for (let index = first; ; index++) {
    due -= (Math.log(1 - random.next()) / rate) * 1000;
    if (due > end) break;
    await until(due);
    delays.push(performance.now() - due);
    send(paths[index % paths.length], due);
  }
  await until(end);
  while (waiting.size > 0 && performance.now() < end + graceMilliseconds) await setTimeout(1);

  const answered = latencies.length;
  const unanswered = [...waiting];
  waiting.clear();
  agent.destroy();
  // requests without a reply count with their wait: without them an overloaded server would look fast
  for (const due of unanswered) latencies.push(performance.now() - due);
  const ascending = Float64Array.from(latencies).sort();
  return {
    requests: answered,
    requestsPerSecond: (answered / (last - started)) * 1000,
    p50: quantile(ascending, 0.5),
    p99: quantile(ascending, 0.99),
    max: quantile(ascending, 1),
    bytesPerReply: bytes / Math.max(1, answered),
    errors,
    unanswered: unanswered.length,
    lateMilliseconds: quantile(Float64Array.from(delays).sort(), 0.99),
  };
}

/** Resolves at a moment in milliseconds. Timers have a resolution of one millisecond, so the last two are polled. */
async function until(moment: number): Promise<void> {
  const left = moment - performance.now();
  if (left > 2) await setTimeout(left - 2);
  do await setImmediate();
  while (performance.now() < moment);
}

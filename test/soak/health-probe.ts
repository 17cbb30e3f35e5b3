/**
 * Asks for /_health once a second from a process of its own, so that the load of the soak does not delay it. Writes one
 * line of JSON for each answer:
 *
 *     tsx test/soak/health-probe.ts PORT PID
 *
 * `waited` is the part of the time in which the server's main thread, or the probe itself, was ready to run but had no
 * processor: what other processes on the machine cost, not what the server does.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';

const [port, pid] = process.argv.slice(2).map(Number);

/** Timeout of a request. */
const timeoutMilliseconds = 30_000;

/** Milliseconds that the main thread of a process has waited for a processor. */
function waitedFor(process: number | 'self'): number {
  return Number(readFileSync(`/proc/${process}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

function ask(): void {
  const started = performance.now();
  const before = [waitedFor(pid), waitedFor('self')];
  const done = (status: number | null) => {
    const milliseconds = performance.now() - started;
    let waited = 0;
    try {
      waited = waitedFor(pid) - before[0] + waitedFor('self') - before[1];
    } catch {
      // the server has ended
    }
    console.log(JSON.stringify({ status, milliseconds, waited }));
  };
  const options = { host: '127.0.0.1', port, path: '/_health', agent: false as const };
  const sent = request({ ...options, timeout: timeoutMilliseconds }, (response) => {
    response.resume().on('end', () => done(response.statusCode!));
  });
  sent.on('timeout', () => sent.destroy(new Error('timeout')));
  sent.on('error', () => done(null)).end();
}

setInterval(() => {
  try {
    ask();
  } catch {
    // the process does not exist
    process.exit(0);
  }
}, 1000);
process.on('disconnect', () => process.exit(0));

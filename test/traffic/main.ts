/**
 * Load for minutes, with bad clients beside the good ones:
 *
 *     npm run test:load -- [--seconds 120] [--share 0.7] [--entries 100000] [--writers 1000] [--readers 50] [--seed S]
 *
 * Finds the peak, then keeps a share of it, first alone and then beside slow clients, and prints for each ten seconds
 * the times of requests, the server's memory and its open files. Fails if a request does, if slow clients are not cut
 * off, or if files stay open. Linux only, as it reads /proc.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { magazine, snapshotOf } from '../../bench/content/index.ts';
import { buildProgram, builtCli } from '../../bench/program.ts';
import { SlowClients } from './slow-clients.ts';
import { flood, keepRate, quantile, urlSource } from './traffic.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    share: { type: 'string', default: '0.7' },
    entries: { type: 'string', default: '100000' },
    writers: { type: 'string', default: '1000' },
    readers: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
});
const number = (name: keyof typeof values): number => {
  const value = Number(values[name]);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0, is ${values[name]}`);
  return value;
};
const [seconds, share, entries] = [number('seconds'), number('share'), number('entries')];
const [writers, readers, seed] = [number('writers'), number('readers'), number('seed')];

/** How long one line of the report is, and how many connections find the peak. */
const lineSeconds = 10;
const peakConnections = 32;
/** Until slow clients have been cut off, and what they held is free, in seconds: the server's limits and some. */
const coolDown = 45;

interface Line {
  second: number;
  p50: number;
  p99: number;
  /** In bytes. */
  memory: number;
  files: number;
}

function memoryOf({ pid }: ChildProcess): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
}

/** As the server counts them: a client that reads slowly learns late that it was cut off. */
async function cutReaders(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/_metrics`)).text();
  return Number(/^lectern_http_slow_readers_total (\d+)/m.exec(text)![1]);
}

function filesOf({ pid }: ChildProcess): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function startServer(snapshot: string): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [builtCli, 'serve', snapshot, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  while (!/http:\/\/\S+/.test(printed)) printed += String((await once(child.stdout!, 'data'))[0]);
  return { child, port: Number(new URL(/http:\/\/\S+/.exec(printed)![0]).port) };
}

async function keep(rate: number, length: number, server: { child: ChildProcess; port: number }, next: () => string) {
  const lines: Line[] = [];
  const failures: string[] = [];
  const times: number[] = [];
  for (let second = lineSeconds; second <= length; second += lineSeconds) {
    const traffic = await keepRate(server.port, rate, lineSeconds, next);
    failures.push(...traffic.failures);
    for (const time of traffic.times) times.push(time);
    const [p50, p99] = [quantile(traffic.times, 0.5), quantile(traffic.times, 0.99)];
    const line = { second, p50, p99, memory: memoryOf(server.child), files: filesOf(server.child) };
    lines.push(line);
    const cells = [second, p50.toFixed(2), p99.toFixed(2), megabytes(line.memory), line.files];
    console.log(`| ${cells.join(' | ')} |`);
  }
  return { lines, failures, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

/** Least squares over the second half, when caches are full: bytes an hour. */
function memorySlope(lines: readonly Line[]): number {
  const late = lines.slice(Math.floor(lines.length / 2));
  const mean = (value: (line: Line) => number) => late.reduce((sum, line) => sum + value(line), 0) / late.length;
  const [middle, level] = [mean(({ second }) => second), mean(({ memory }) => memory)];
  const top = late.reduce((sum, { second, memory }) => sum + (second - middle) * (memory - level), 0);
  const bottom = late.reduce((sum, { second }) => sum + (second - middle) ** 2, 0);
  return bottom === 0 ? 0 : (top / bottom) * 3600;
}

await buildProgram();
const server = await startServer(await snapshotOf(magazine, entries));
const problems: string[] = [];
try {
  const next = urlSource(seed);
  // what is compiled and cached on first use is not what is measured
  await flood(server.port, peakConnections, lineSeconds, next);
  const peak = (await flood(server.port, peakConnections, lineSeconds, next)).times.length / lineSeconds;
  const rate = peak * share;
  console.log(`peak ${peak.toFixed(0)} requests/s with ${peakConnections} connections; kept: ${rate.toFixed(0)}\n`);
  const header = '| second | p50 ms | p99 ms | resident MiB | open files |\n| ---: | ---: | ---: | ---: | ---: |';

  console.log(`Alone:\n\n${header}`);
  const alone = await keep(rate, seconds / 2, server, next);
  console.log(`\nBeside ${writers} slow writers and ${readers} slow readers:\n\n${header}`);
  const slow = new SlowClients(server.port, { writers, readers });
  const beside = await keep(rate, seconds / 2, server, next);
  const cut = { writers: slow.cutWriters, readers: await cutReaders(server.port) };
  slow.end();
  await new Promise((resolve) => setTimeout(resolve, coolDown * 1000));
  const files = filesOf(server.child);

  const failures = [...alone.failures, ...beside.failures];
  const before = alone.lines.at(-1)!;
  console.log(`\np99 ${alone.p99.toFixed(2)} ms alone, ${beside.p99.toFixed(2)} ms beside slow clients`);
  console.log(`memory ${megabytes(memorySlope(alone.lines))} MiB an hour over the second half alone`);
  console.log(`memory ${megabytes(memorySlope(beside.lines))} MiB an hour over the second half beside slow clients`);
  console.log(`cut off: ${cut.writers} writers, ${cut.readers} readers; files ${before.files} before, ${files} after`);
  if (failures.length > 0) problems.push(`${failures.length} requests failed, the first: ${failures[0]}`);
  if (cut.writers === 0 && seconds >= 40) problems.push('no slow writer was cut off');
  if (cut.readers === 0 && seconds >= 120) problems.push('no slow reader was cut off');
  if (files > before.files) problems.push(`${files} files are open, ${before.files} were`);
} finally {
  server.child.kill();
}
for (const problem of problems) console.error(`failed: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

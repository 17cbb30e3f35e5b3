/**
 * Compares numbers of threads: processor time a request, requests a second and resident memory, under 100,000 different
 * URLs of the magazine. The servers are loaded in turns. Needs a build, wrk and Node 22.12 or later:
 *
 *     npx tsx bench/threads/main.ts SNAPSHOT [--threads 1,2,4] [--seconds 10] [--rounds 5]
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import type { LoadResult } from '../http/loads.ts';
import { type RunningServer, startLectern } from '../http/servers.ts';
import { loadWithWrk } from '../http/wrk.ts';
import { median } from '../statistics.ts';

const urlCount = 100_000;
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

interface Measured {
  readonly threads: number;
  readonly server: RunningServer;
  /** Resident memory in bytes, when the server is loaded and after all URLs. */
  readonly memory: { loaded: number; loadedWithRequests: number };
  readonly requestsPerSecond: number[];
  /** Processor time of the server, in microseconds. */
  readonly perRequest: number[];
  sent: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    threads: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
  },
});
const [snapshot] = positionals;
if (!snapshot) throw new Error('name a snapshot of the magazine, such as data/demo');
if (!canShareMemory) throw new Error(`several threads need Node 22.12 or later, this is ${process.versions.node}`);

const paths = Array.from({ length: urlCount }, (_, i) => pathOf(i));
const all: Measured[] = [];
try {
  for (const threads of values.threads.split(',').map(Number)) all.push(await start(threads));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const each of all) await measureRound(each, Number(values.seconds));
  }
  for (const each of all) each.memory.loadedWithRequests = await memoryOf(each.server);
  console.table(Object.fromEntries(all.map((each) => [`${each.threads} threads`, rowOf(each)])));
} finally {
  for (const { server } of all) server.stop();
}

/** Half of the URLs are pages of five articles with their authors, half pages of 25 articles. */
function pathOf(i: number): string {
  const page = i % 2 === 0 ? 'pagination[pageSize]=5&populate=author' : 'pagination[pageSize]=25&fields=title,slug';
  return `/api/articles?filters[id][$gt]=${i % 1000}&filters[rating][$gte]=${1 + Math.floor(i / 1000) / 25}&${page}`;
}

/** Starts a server and sends every URL once or more often. */
async function start(threads: number): Promise<Measured> {
  const config = { threads, log: { slowMilliseconds: 0 } };
  const server = await startLectern(cli, snapshot, config);
  const memory = { loaded: await memoryOf(server), loadedWithRequests: 0 };
  const measured = { threads, server, memory, requestsPerSecond: [], perRequest: [], sent: 0 };
  while (measured.sent < urlCount) await load(measured, 5);
  return measured;
}

async function measureRound(measured: Measured, seconds: number): Promise<void> {
  const before = await measured.server.processorTime!();
  const { requests, requestsPerSecond } = await load(measured, seconds);
  const after = await measured.server.processorTime!();
  const milliseconds = after.user + after.system - before.user - before.system;
  measured.perRequest.push((milliseconds * 1000) / requests);
  measured.requestsPerSecond.push(requestsPerSecond);
}

async function load(measured: Measured, seconds: number): Promise<LoadResult> {
  const { origin } = measured.server;
  const result = await loadWithWrk({ client: 'wrk', origin, paths, first: measured.sent, seconds });
  if (result.errors > 0) throw new Error(`${measured.threads} threads: ${result.errors} requests failed`);
  measured.sent += result.requests;
  return result;
}

async function memoryOf({ origin }: RunningServer): Promise<number> {
  const text = await (await fetch(`${origin}/_metrics`, { headers: { Connection: 'close' } })).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)![1]);
}

function rowOf({ threads, memory, requestsPerSecond, perRequest }: Measured): object {
  const [{ memory: first }] = all;
  const ratio = median(perRequest) / median(all[0].perRequest);
  const added = (memory.loadedWithRequests - first.loadedWithRequests) / 2 ** 20;
  return {
    'processor time a request (µs)': Number(median(perRequest).toFixed(1)),
    'relative to the first': Number(ratio.toFixed(3)),
    'requests a second': Math.round(median(requestsPerSecond)),
    'MiB loaded': Math.round(memory.loaded / 2 ** 20),
    'MiB after the requests': Math.round(memory.loadedWithRequests / 2 ** 20),
    'MiB a further thread': threads > all[0].threads ? Math.round(added / (threads - all[0].threads)) : 0,
  };
}

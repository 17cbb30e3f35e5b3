/**
 * Measures a publication on a Redis with replicas, beside one server with the same content:
 *
 *     npx tsx bench/replicas/main.ts [--entries 20000] [--replicas 8] [--changes 200] [--pairs 5]
 *
 * The servers, the Redis and the client share the processors, so figures of many replicas need as many. Linux only.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readOptions } from '../../data/generator/options.ts';
import { keysOf } from '../../src/publication/redis/keys.ts';
import { ask, keepAlive } from '../../test/replicas/ask.ts';
import type { Server } from '../../test/replicas/server.ts';
import { publicationName, Stage } from '../../test/replicas/stage.ts';
import { changesToken } from '../../test/replicas/writer.ts';
import { buildProgram, builtCli } from '../program.ts';
import { machineLine, thisMachine } from '../report/machine.ts';
import { digits, megabytes, table } from '../report/markdown.ts';
import { median, quantile } from '../statistics.ts';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '20000' },
    replicas: { type: 'string', default: '8' },
    changes: { type: 'string', default: '200' },
    pairs: { type: 'string', default: '5' },
  },
});
const [entries, replicas, changes, pairs] = [values.entries, values.replicas, values.changes, values.pairs].map(Number);
/** Changes before those that are measured: code is compiled. */
const warmUp = 20;
/** Milliseconds between two changes. */
const gap = 30;
/** Changes that wait for a replica. */
const waiting = 600;
/** Milliseconds in which they are made: a Redis that does not answer for 5 s gets another connection. */
const waitingTime = 4000;
/** Connections on which a replica is asked beside its changes. */
const connections = 8;
/** Milliseconds for what must happen, so that a hang ends. */
const longest = 120_000;
const path = '/api/articles?pagination[pageSize]=1';

await buildProgram();
const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-replicas-'));
/** Is read again by `POST /_reload`, which publishes an image of its content. */
const current = join(folder, 'current');
const stage = await openStage();
try {
  await measure();
} finally {
  await stage.close();
  rmSync(folder, { recursive: true });
}

async function openStage(): Promise<Stage> {
  for (const [i, name] of ['a', 'b'].entries()) readOptions([]).write(join(folder, name), entries, i + 1);
  pointTo('a');
  const place = join(folder, 'stage');
  mkdirSync(place);
  return Stage.open(place, { replicas, snapshot: current, hasJournal: false });
}

function pointTo(name: string): void {
  symlinkSync(name, `${current}.new`);
  renameSync(`${current}.new`, current);
}

async function measure(): Promise<void> {
  const { publisher } = stage;
  const alone = await stage.addServer('alone', current);
  for (const each of [alone, publisher, ...stage.replicas]) await each.start();
  console.log(`${machineLine({ machine: thisMachine(), commit: null })}\n`);
  const rows: string[][] = [];
  // a run takes minutes
  const add = (measured: readonly string[][]) => {
    rows.push(...measured);
    for (const row of measured) console.error(row.join(' | '));
  };
  add(await measureChanges(alone));
  await alone.kill();
  add(await measureBytes());
  add([await measureWaiting(false), await measureWaiting(true)]);
  add([await measureMemory()]);
  add([await measureStarts()]);
  console.log(table(['', 'publication', 'compared with', 'ratio', 'goal'], rows));
}

interface Entry {
  readonly documentId: string;
  readonly locale?: string;
}

async function readEntries(server: Server): Promise<Entry[]> {
  const { body } = await ask(server.port, '/api/articles?fields[0]=title&pagination[pageSize]=100');
  return JSON.parse(body.toString()).data;
}

function bodyOf({ documentId, locale }: Entry, title: string): string {
  const place = { documentId, ...(locale && { locale }), status: 'published' };
  return JSON.stringify({ changes: [{ patch: 'api::article.article', ...place, set: { title } }] });
}

async function change({ adminPort, name }: Server, body: string): Promise<string> {
  const { status, body: answer } = await ask(adminPort, '/_changes', { body, token: changesToken });
  if (status !== 200) throw new Error(`${name}: ${status} ${answer}`);
  return JSON.parse(answer.toString()).version;
}

/** Changes one server and the publication in turns, and asks for the next version before it is made. */
async function measureChanges(alone: Server): Promise<string[][]> {
  const articles = await readEntries(alone);
  const one: number[] = [];
  const each: number[] = [];
  const last: number[] = [];
  for (let i = -warmUp; i < changes; i++) {
    const body = bodyOf(articles[(i + warmUp) % articles.length], `title ${i}`);
    const [single] = await untilVisible(alone, [alone], body);
    await sleep(gap);
    const times = await untilVisible(stage.publisher, stage.replicas, body);
    await sleep(gap);
    if (i < 0) continue;
    one.push(single);
    each.push(...times);
    last.push(Math.max(...times));
  }
  const rowOf = (name: string, times: readonly number[], share: number, goal: string) => {
    const [here, there] = [times, one].map((list) => quantile(Float64Array.from(list).sort(), share));
    return [name, `${digits(here)} ms`, `${digits(there)} ms`, digits(here / there), goal];
  };
  const count = `${replicas} replicas`;
  return [
    rowOf(`change to visible, ${count}, p50`, each, 0.5, '1.2'),
    rowOf(`change to visible, ${count}, p99`, each, 0.99, '1.5'),
    rowOf(`change to visible on the last of ${count}, p50`, last, 0.5, ''),
    rowOf(`change to visible on the last of ${count}, p99`, last, 0.99, ''),
  ];
}

/** Returns the milliseconds from a request with a change to the answers of servers that show it. */
async function untilVisible(changed: Server, servers: readonly Server[], body: string): Promise<number[]> {
  const { version } = await ask(changed.port, path);
  const [epoch, sequence] = version!.split('-').map(Number);
  const atLeast = `${epoch}-${sequence + 1}`;
  const started = performance.now();
  const shown = servers.map(async ({ port, name }) => {
    const answer = await ask(port, path, { atLeast });
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${answer.body}`);
    return performance.now() - started;
  });
  const [times] = await Promise.all([Promise.all(shown), change(changed, body)]);
  return times;
}

/** Memory of the log, by what the Redis says of it, over the JSON of the changes. */
async function measureBytes(): Promise<string[][]> {
  const { publisher, redis } = stage;
  const { log } = keysOf(publicationName);
  const memory = async () => Number(await redis.send('MEMORY', 'USAGE', log, 'SAMPLES', '0'));
  const articles = await readEntries(publisher);
  const [before, entriesBefore] = [await memory(), Number(await redis.send('XLEN', log))];
  for (let i = 0; i < changes; i++) await change(publisher, bodyOf(articles[i % articles.length], `bytes ${i}`));
  const added = (await memory()) - before;
  const count = Number(await redis.send('XLEN', log)) - entriesBefore;
  if (count !== changes) throw new Error('the log was trimmed meanwhile: use less --changes');
  const stored = (await redis.send('XREVRANGE', log, '+', '-', 'COUNT', String(count))) as [string, string[]][];
  const sizes = stored.map(([, fields]) => Buffer.byteLength(fields[fields.indexOf('changes') + 1]));
  const json = sizes.reduce((sum, size) => sum + size, 0);
  const [here, there] = [added / count, json / count];
  return [['bytes a change in the Redis', digits(here), `${digits(there)} of JSON`, digits(here / there), '1.3']];
}

/** How many changes a second a replica takes that has not read for a while, beside the rate at which they were made. */
async function measureWaiting(isAsked: boolean): Promise<string[]> {
  const { publisher, replicas: all } = stage;
  const [replica] = all;
  const articles = await readEntries(publisher);
  const rates: [number, number][] = [];
  for (let i = 0; i < pairs; i++) {
    process.kill(replica.pid, 'SIGSTOP');
    const started = performance.now();
    let count = 0;
    let version = '';
    for (; count < waiting && performance.now() - started < waitingTime; count++) {
      version = await change(publisher, bodyOf(articles[count % articles.length], `waits ${i} ${count}`));
    }
    const made = performance.now() - started;
    process.kill(replica.pid, 'SIGCONT');
    const resumed = performance.now();
    const end = isAsked ? beginRequests(replica) : () => {};
    await until(`${replica.name} serves ${version}`, async () => (await ask(replica.port, path)).version === version);
    end();
    rates.push([count / (performance.now() - resumed), count / made]);
  }
  const [here, there] = [0, 1].map((side) => median(rates.map((pair) => pair[side])) * 1000);
  const name = 'waiting changes that a replica takes a second';
  return [
    isAsked ? `${name}, beside requests` : name,
    digits(here),
    `${digits(there)} made a second`,
    digits(here / there),
    '',
  ];
}

/** Asks a server without a pause on some connections until the returned function is called. */
function beginRequests({ port }: Server): () => void {
  let [isEnded, asked] = [false, 0];
  for (let i = 0; i < connections; i++) {
    const agent = keepAlive();
    const askOn = async () => {
      while (!isEnded) await ask(port, `/api/articles?populate=*&pagination[page]=${++asked % 100}`, { agent });
      agent.destroy();
    };
    void askOn();
  }
  return () => (isEnded = true);
}

/** Resolves when a condition holds. Rejects with what is awaited if it takes too long. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + longest; !(await holds()); await sleep(10)) {
    if (performance.now() > end) throw new Error(`in ${longest / 1000} s, it did not come to this: ${what}`);
  }
}

/** The highest resident memory of a replica while it takes other content, over that before. */
async function measureMemory(): Promise<string[]> {
  const agent = keepAlive();
  const ratios: number[] = [];
  const figures: [number, number][] = [];
  const [replica] = stage.replicas;
  for (let i = 0; i < pairs; i++) {
    pointTo(i % 2 === 0 ? 'b' : 'a');
    await sleep(2000);
    const rest = memoryOf(replica, 'VmRSS');
    // begins the highest memory anew
    writeFileSync(`/proc/${replica.pid}/clear_refs`, '5');
    const { version } = await ask(replica.port, path);
    const reply = await ask(stage.publisher.adminPort, '/_reload', {
      agent,
      body: '',
      token: changesToken,
      timeout: 300_000,
    });
    if (reply.status !== 200) throw new Error(`the reload answered with ${reply.status}: ${reply.body}`);
    await until(`${replica.name} has other content`, async () => (await ask(replica.port, path)).version !== version);
    await sleep(2000);
    const peak = memoryOf(replica, 'VmHWM');
    figures.push([peak, rest]);
    ratios.push(peak / rest);
  }
  agent.destroy();
  const [peak, rest] = [median(figures.map(([each]) => each)), median(figures.map(([, each]) => each))];
  return ['memory while swapping images', megabytes(peak), `${megabytes(rest)} at rest`, digits(median(ratios)), '2.1'];
}

function memoryOf({ pid }: Server, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)![1]) * 1024;
}

/** The start of a replica that has the image, over that of a server with the same image as its file, in turns. */
async function measureStarts(): Promise<string[]> {
  const [replica] = stage.replicas;
  for (const each of stage.replicas) await each.kill('SIGTERM');
  const image = join(folder, 'content.lectern');
  execFileSync(process.execPath, [builtCli, 'build', current, '--out', image], { stdio: 'ignore' });
  const file = await stage.addServer('file', image);
  const times: [number, number][] = [];
  for (let i = 0; i <= pairs; i++) {
    const pair = [await startTime(replica), await startTime(file)] as [number, number];
    // the first pair puts files into the cache of the system
    if (i > 0) times.push(pair);
  }
  const ratio = median(times.map(([here, there]) => here / there));
  const [here, there] = [0, 1].map((side) => median(times.map((pair) => pair[side])));
  return ['start from the cached image', `${digits(here)} ms`, `${digits(there)} ms`, digits(ratio), '1.3'];
}

async function startTime(server: Server): Promise<number> {
  const started = performance.now();
  await server.start();
  const time = performance.now() - started;
  await server.kill('SIGTERM');
  return time;
}

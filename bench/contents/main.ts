/**
 * Measures several contents in one process: the time until content of 3,000 entries answers after its PUT, the memory of
 * each content, and the time of a request with one and with many contents:
 *
 *     npx tsx bench/contents/main.ts [--contents 100] [--entries 3000] [--requests 3000] [--rounds 5]
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readOptions } from '../../data/generator/options.ts';
import { freePort } from '../free-port.ts';
import { type RunningServer, startLectern } from '../http/servers.ts';
import { buildProgram, builtCli } from '../program.ts';
import { median, quantile } from '../statistics.ts';

const { values } = parseArgs({
  options: {
    contents: { type: 'string', default: '100' },
    entries: { type: 'string', default: '3000' },
    requests: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '5' },
  },
});
const [count, entries, requests, rounds] = [values.contents, values.entries, values.requests, values.rounds].map(
  Number,
);
const token = 'bench';
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const MiB = 2 ** 20;

await buildProgram();
const folder = mkdtempSync(join(tmpdir(), 'lectern-contents-'));
try {
  await measure();
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true });
}

async function measure(): Promise<void> {
  const contentsFolder = join(folder, 'contents');
  mkdirSync(contentsFolder);
  const snapshot = join(contentsFolder, 'snapshot');
  readOptions([]).write(snapshot, entries, 1);
  const image = join(folder, 'content.lectern');
  execFileSync(process.execPath, [builtCli, 'build', snapshot, '--out', image], { stdio: 'ignore' });
  const bytes = readFileSync(image);

  const alone = await startLectern(builtCli, snapshot, { log: { slowMilliseconds: 0 } });
  const adminPort = await freePort();
  const sha256 = createHash('sha256').update(token).digest('hex');
  const admin = { tokens: [{ name: 'bench', sha256, rights: ['contents'] }] };
  const settings = { adminPort, admin, contents: { folder: contentsFolder, most: count + 1 } };
  const several = await startLectern(builtCli, snapshot, { ...settings, log: { slowMilliseconds: 0 } });
  await untilReady(adminPort);
  try {
    const put = (name: string, body: Buffer | string) =>
      send(`http://127.0.0.1:${adminPort}/_contents/${name}`, {
        method: 'PUT',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': typeof body === 'string' ? 'application/json' : 'application/octet-stream',
        },
        body,
      });
    const byPath = JSON.stringify({ snapshot: 'snapshot' });
    await measurePut('a JSON snapshot by its path', several, () => put('pr-0', byPath));
    await measurePut('a prebuilt image as bytes', several, () => put('pr-0', bytes));

    const before = await residentBytes(adminPort);
    const started = performance.now();
    for (let i = 0; i < count; i++) await put(`pr-${i}`, bytes);
    const seconds = (performance.now() - started) / 1000;
    await setTimeout(2000);
    const grown = (await residentBytes(adminPort)) - before;
    console.log(
      `${count} contents of ${entries} entries: put in ${seconds.toFixed(1)} s, ` +
        `${(grown / count / MiB).toFixed(2)} MiB of resident memory each, image ${(bytes.length / MiB).toFixed(2)} MiB`,
    );
    await measureRequests(alone, several);
  } finally {
    alone.stop();
    several.stop();
  }
}

/** Prints the time until a content is put, and until it has answered its first request. */
async function measurePut(what: string, { origin }: RunningServer, put: () => Promise<string>): Promise<void> {
  const times: { put: number; answered: number }[] = [];
  for (let i = 0; i < 10; i++) {
    const started = performance.now();
    await put();
    const done = performance.now();
    await send(`${origin}/pr-0/api/articles?sort=title&populate=author`);
    times.push({ put: done - started, answered: performance.now() - started });
  }
  const line = (name: 'put' | 'answered') => {
    const all = times.map((each) => each[name]);
    return `median ${median(all).toFixed(0)} ms, longest ${Math.max(...all).toFixed(0)} ms`;
  };
  console.log(`PUT of ${what}: ${line('put')}; until its first reply: ${line('answered')}`);
}

/** Prints the median time of a request to one content alone, and to one of many by path and host. */
async function measureRequests(alone: RunningServer, several: RunningServer): Promise<void> {
  const page = (i: number) => `/api/articles?sort=title&pagination[page]=${(i % 40) + 1}`;
  const cases: Record<string, (i: number) => Promise<string>> = {
    'one content alone': (i) => send(alone.origin + page(i)),
    [`the first of ${count + 1}`]: (i) => send(several.origin + page(i)),
    [`one of ${count + 1} by path`]: (i) => send(`${several.origin}/pr-1${page(i)}`),
    [`one of ${count + 1} by host`]: (i) => send(several.origin + page(i), { headers: { Host: 'pr-1.example.org' } }),
    [`each of ${count + 1} in turn by path`]: (i) => send(`${several.origin}/pr-${i % count}${page(i)}`),
  };
  const medians = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, ask] of Object.entries(cases)) {
      const times = new Float64Array(requests);
      for (let i = 0; i < requests; i++) {
        const started = performance.now();
        await ask(i);
        times[i] = performance.now() - started;
      }
      // the first round compiles code and fills caches
      if (round > 0) medians.set(name, [...(medians.get(name) ?? []), quantile(times.sort(), 0.5)]);
    }
  }
  for (const [name, all] of medians) {
    console.log(`p50 of a request to ${name}: ${(median(all) * 1000).toFixed(1)} µs`);
  }
}

async function untilReady(adminPort: number): Promise<void> {
  const ready = () =>
    send(`http://127.0.0.1:${adminPort}/_ready`).then(
      () => true,
      () => false,
    );
  while (!(await ready())) await setTimeout(50);
}

async function residentBytes(adminPort: number): Promise<number> {
  const text = await send(`http://127.0.0.1:${adminPort}/_metrics`);
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)![1]);
}

/** Resolves to the body. Rejects for a status that is no success. */
function send(url: string, { body, ...options }: RequestOptions & { body?: Buffer | string } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode! < 300) resolve(text);
        else reject(new Error(`${url}: ${response.statusCode} ${text}`));
      });
    });
    sent.on('error', reject).end(body);
  });
}

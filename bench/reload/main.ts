/**
 * Measures how long the event loop of `lectern serve` is delayed beside a reload of large content, and without one:
 *
 *     npx tsx bench/reload/main.ts [--entries 100000] [--pairs 5] [--rate 100] [--profile FOLDER]
 *
 * Each half of a pair takes as long as a reload. Meanwhile clients ask for different URLs. `--profile` writes a CPU
 * profile of the server when it ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readOptions } from '../../data/generator/options.ts';
import { freePort } from '../free-port.ts';
import { buildProgram, builtCli } from '../program.ts';
import { median } from '../statistics.ts';

interface LoopDelay {
  samples: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000' },
    pairs: { type: 'string', default: '5' },
    rate: { type: 'string', default: '100' },
    profile: { type: 'string' },
  },
});
const [entries, pairs, rate] = [values.entries, values.pairs, values.rate].map(Number);
/** Time after a reload that counts as beside it: what is derived on first use is derived then. */
const afterwards = 2000;
const token = 'bench';

await buildProgram();
const folder = mkdtempSync(join(tmpdir(), 'lectern-reload-'));
try {
  await measure();
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(): Promise<void> {
  const current = join(folder, 'current');
  const pointTo = (name: string) => {
    symlinkSync(name, `${current}.new`);
    renameSync(`${current}.new`, current);
  };
  writeContents();
  pointTo('a');
  const { child, port, adminPort } = await startServer(current);
  const delayed = async (): Promise<LoopDelay> => {
    child.send('delays');
    return (await once(child, 'message'))[0] as LoopDelay;
  };
  const reload = async (turn: number): Promise<number> => {
    pointTo(turn % 2 === 0 ? 'b' : 'a');
    const started = performance.now();
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await fetch(`http://127.0.0.1:${adminPort}/_reload`, { method: 'POST', headers });
    const { isNew } = (await reply.json()) as { isNew?: boolean };
    if (!isNew) throw new Error(`the reload answered with ${reply.status}`);
    return performance.now() - started;
  };
  const asking = new AbortController();
  const asked = ask(port, asking.signal);
  // the first reload compiles code, and tells how long one takes
  let took = await reload(0);
  await setTimeout(afterwards);
  const differences: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const delays = new Map<string, LoopDelay>();
    const halves = {
      without: () => setTimeout(took + afterwards),
      beside: async () => {
        took = await reload(pair + 1);
        await setTimeout(afterwards);
      },
    };
    const order = pair % 2 === 0 ? (['without', 'beside'] as const) : (['beside', 'without'] as const);
    for (const half of order) {
      await delayed();
      await halves[half]();
      delays.set(half, await delayed());
    }
    const [beside, without] = [delays.get('beside')!, delays.get('without')!];
    differences.push(beside.p999 - without.p999);
    console.log(`pair ${pair + 1}, reload in ${(took / 1000).toFixed(1)} s`);
    for (const [half, delay] of delays) console.log(`  ${half}: ${describe(delay)}`);
  }
  asking.abort();
  const { count, errors } = await asked;
  console.log(`${count} requests, ${errors} errors`);
  console.log(
    `p99.9 beside a reload minus p99.9 without: median ${median(differences).toFixed(1)} ms, each: ${differences.map((ms) => ms.toFixed(1)).join(', ')}`,
  );
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Writes two contents that differ in one title. */
function writeContents(): void {
  const first = join(folder, 'a');
  const { write } = readOptions(['--entries', String(entries), '--out', first]);
  write(first, entries, 1);
  cpSync(first, join(folder, 'b'), { recursive: true });
  const path = join(folder, 'b/entries/category.json');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/("name": *")/, '$1Another '));
  if (readFileSync(path, 'utf8') === text) throw new Error(`${path} has no name to change`);
}

async function startServer(source: string): Promise<{ child: ChildProcess; port: number; adminPort: number }> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const sha256 = createHash('sha256').update(token).digest('hex');
  const admin = { tokens: [{ name: 'bench', sha256, rights: ['reload'] }] };
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ port, adminPort, admin, log: { slowMilliseconds: 0 } }));
  const preload = new URL('./loop-delay.mjs', import.meta.url).href;
  const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
  const command = [...profile, '--import', preload, builtCli, 'serve', source, '--config', config];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  await once(child.stdout!, 'data');
  return { child, port, adminPort };
}

/** Asks for a different URL `rate` times a second. */
async function ask(port: number, signal: AbortSignal): Promise<{ count: number; errors: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  let count = 0;
  let errors = 0;
  while (!signal.aborted) {
    const page = (count * 7919) % Math.floor(entries / 25);
    const path = `/api/articles?sort=title&populate=author&pagination[page]=${page + 1}`;
    get({ port, host: '127.0.0.1', path, agent }, (response) => {
      if (response.statusCode !== 200) errors++;
      response.resume();
    }).on('error', () => {
      if (!signal.aborted) errors++;
    });
    count++;
    await setTimeout(1000 / rate);
  }
  agent.destroy();
  return { count, errors };
}

function describe({ samples, p50, p99, p999, max }: LoopDelay): string {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return `p50 ${ms(p50)}, p99 ${ms(p99)}, p99.9 ${ms(p999)}, max ${ms(max)}, ${samples} samples`;
}

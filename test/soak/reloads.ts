import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { samples } from '../support/server.ts';
import { Findings } from './findings.ts';
import { ServerProcess } from './server-process.ts';

const readers = 64;
/** Pause of a reader between two requests, in milliseconds. */
const readerPause = 50;
/** Snapshots that take turns. */
const versions = 3;
/** Swaps between two samples of the memory. */
const sampleEvery = 50;
/** Maximum growth between the second tenth of the run and its last tenth, in bytes. */
const mostGrowth = 48 * 2 ** 20;

const admin = { tokens: [{ name: 'soak', sha256: sha256('soak'), rights: ['reload'] }] };
const urls = [
  '/api/things?pagination[pageSize]=100',
  '/api/things?sort=title:desc&fields=title&pagination[pageSize]=50',
  '/api/things?filters[title][$startsWith]=version&populate=*',
  '/api/things?_q=version&pagination[pageSize]=1',
];

type GoesOn = (done: number, seed: number) => boolean;

/** Swaps the content of `lectern serve`. */
export function soakReloads(firstSeed: number, goesOn: GoesOn): Promise<string | null> {
  return soak(firstSeed, goesOn);
}

/** Swaps the content of a server that loads it in its own thread, which is quicker. */
export function soakSwaps(firstSeed: number, goesOn: GoesOn): Promise<string | null> {
  const program = fileURLToPath(new URL('swap-server.ts', import.meta.url));
  return soak(firstSeed, goesOn, ['--import', 'tsx', program]);
}

/**
 * Swaps small snapshots of a server by `POST /_reload` while readers ask. A reply must be of one version: the titles, the
 * total and `X-Lectern-Snapshot` have to agree. Returns a summary, or null if a request failed, a reply mixed versions or
 * memory grew.
 */
async function soak(firstSeed: number, goesOn: GoesOn, program?: string[]): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-soak-'));
  const source = join(folder, 'current.json');
  const findings = new Findings();
  const pointTo = (version: number) => {
    symlinkSync(`${version}.json`, `${source}.new`);
    renameSync(`${source}.new`, source);
  };
  for (let version = 0; version < versions; version++) writeVersion(join(folder, `${version}.json`), version);
  pointTo(0);
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ adminPort: 0, admin, log: { format: 'json', level: 'info' } }));
  const server = await ServerProcess.start(source, config, program);
  const state = { isOver: false };
  const digests = new Map<number, string>();
  const reading = Array.from({ length: readers }, (_, i) => read(server.port, i, digests, findings, state));
  const memory: { resident: number; heap: number }[] = [];
  let swaps = 0;
  try {
    for (; goesOn(swaps, firstSeed) && !findings.hasFailed; swaps++) {
      pointTo((swaps + 1) % versions);
      await reload(server.adminPort, findings);
      if (swaps % sampleEvery === 0) memory.push(await sample(server));
    }
  } finally {
    state.isOver = true;
    await Promise.all(reading);
    if ((await server.stop()) === null) findings.fail('end', 'the server did not end with 0 after SIGTERM');
    rmSync(folder, { recursive: true });
  }
  for (const line of server.errors) findings.fail('log', line);
  const growth = growthOf(memory.map(({ resident }) => resident));
  const heapGrowth = growthOf(memory.map(({ heap }) => heap));
  if (Math.max(growth, heapGrowth) > mostGrowth) findings.fail('memory', `grew by ${mebibytes(growth)}`);
  const replies = findings.countOf('readers', '200').toLocaleString('en-US');
  const grew = `resident memory ${mebibytes(growth)}, heap ${mebibytes(heapGrowth)}`;
  console.log(findings.failureCounts);
  return findings.hasFailed ? null : `${swaps} swaps beside ${replies} replies to ${readers} readers; growth: ${grew}`;
}

/** Writes a snapshot in one file. Its number of things and their titles tell the version. */
function writeVersion(path: string, version: number): void {
  const things = Array.from({ length: 20 + version }, (_, i) => ({ documentId: `d${i}`, title: `version ${version}` }));
  writeFileSync(path, JSON.stringify(thingSnapshot({ title: { type: 'string' } }, things)));
}

async function reload(adminPort: number, findings: Findings): Promise<void> {
  const headers = { Authorization: 'Bearer soak' };
  const { status, body, json } = await askServer(adminPort, '/_reload', { method: 'POST', headers });
  if (status !== 200) findings.fail('reload', `${status}: ${body}`);
  else if (!json().isNew) findings.fail('reload', 'the content has not changed');
}

async function read(
  port: number,
  first: number,
  digests: Map<number, string>,
  findings: Findings,
  state: { isOver: boolean },
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = first; !state.isOver; i++) {
    const url = urls[i % urls.length];
    const reply = await askServer(port, url, { agent }).catch((error: Error) => error);
    if (reply instanceof Error) findings.fail('connection', `${reply.message}, ${url}`);
    else {
      findings.reply('readers', reply.status, '', url);
      const fault = reply.status === 200 ? faultOf(reply.json(), reply.headers['x-lectern-snapshot'], digests) : null;
      if (fault !== null) findings.fail('mixed versions', `${fault}, ${url}`);
    }
    await setTimeout(readerPause);
  }
  agent.destroy();
}

interface ThingsReply {
  readonly data: readonly { readonly title: string }[];
  readonly meta: { readonly pagination: { readonly total: number } };
}

/** Returns what in a reply is not of the version that its total names, or null. */
function faultOf(
  { data, meta }: ThingsReply,
  digest: string | string[] | undefined,
  digests: Map<number, string>,
): string | null {
  const version = meta.pagination.total - 20;
  if (!data.every(({ title }) => title === `version ${version}`)) return `titles of another version than ${version}`;
  const known = digests.get(version) ?? String(digest);
  digests.set(version, known);
  return known === digest ? null : `version ${version} with the digests ${known} and ${digest}`;
}

async function sample(server: ServerProcess): Promise<{ resident: number; heap: number }> {
  const { body } = await askServer(server.adminPort, '/_metrics');
  return {
    resident: server.residentBytes,
    heap: samples(body.toString()).get('nodejs_heap_size_used_bytes') ?? Number.NaN,
  };
}

/**
 * Returns how much the lowest value of the last tenth is above that of the second tenth, since collections come and go. 0
 * for fewer than twenty values.
 */
function growthOf(values: readonly number[]): number {
  if (values.length < 20) return 0;
  const tenth = Math.floor(values.length / 10);
  return Math.min(...values.slice(-tenth)) - Math.min(...values.slice(tenth, tenth * 2));
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

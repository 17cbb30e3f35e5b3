import { readFileSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Rows, readEntries, readRows } from '../content/rows.ts';
import { Schema } from '../content/schema.ts';
import { packaged } from '../packages.ts';
import { peers } from '../peers/index.ts';
import { queries } from '../queries/index.ts';
import { drawSets } from '../query.ts';
import { answerRequests } from '../task.ts';
import { jsonFiles } from './files.ts';

/** Loads a content in one way, in a process of its own, and measures time and memory. */

export interface LoadingTask {
  /** A peer, `JSON.parse`, or `nothing`. */
  peer: string;
  content: string;
  snapshot: string;
}

export interface Loading {
  /** From the files until queries can be answered. */
  readyMilliseconds: number;
  /** Of the whole process, after garbage was collected. */
  residentBytes: number;
  peakBytes: number;
}

/** In bytes. Longer files might not fit into one string, which V8 limits to 2^29 - 24 characters. */
const longestString = 500e6;

/** In milliseconds. V8 shrinks a grown young generation only after five seconds with few allocations. */
const settling = 8000;

const known = new Map(peers.map((peer) => [peer.name, peer]));

async function measureLoading({ peer, content, snapshot }: LoadingTask): Promise<Loading> {
  // loading code is not measured
  await known.get(peer)?.loadCode?.();
  for (const name of known.get(peer)?.packages ?? []) packaged(name);
  const started = performance.now();
  const held = await load(peer, content, snapshot);
  const readyMilliseconds = performance.now() - started;
  for (let time = 0; time < 4; time++) {
    (globalThis as { gc?: () => void }).gc?.();
    await setTimeout(settling / 4);
  }
  const residentBytes = process.memoryUsage.rss();
  // the system gives KiB
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  if (held === undefined) throw new Error(`${peer} loads nothing.`);
  return { readyMilliseconds, residentBytes, peakBytes };
}

async function load(name: string, content: string, snapshot: string): Promise<unknown> {
  if (name === 'nothing') return null;
  if (name === 'JSON.parse') {
    return jsonFiles(snapshot).map((file) =>
      statSync(file).size > longestString ? [...readEntries(file)] : JSON.parse(readFileSync(file, 'utf8')),
    );
  }
  const peer = known.get(name)!;
  const own = queries.filter((query) => query.content === content);
  const rows = peer.readsSnapshot ? new Rows(new Schema(snapshot)) : readRows(snapshot);
  const answerer = await peer.open({ snapshot, rows, queries: own });
  if (peer.readsSnapshot) return answerer;
  // some peers prepare a query only when it is asked
  return own.map((query) => answerer(query, drawSets(query, rows, 1)));
}

answerRequests({ work: measureLoading });

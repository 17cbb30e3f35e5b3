import { totalmem } from 'node:os';
import type { Progress } from '../progress.ts';
import { inOwnProcess } from '../task.ts';
import { bytesOf } from './files.ts';
import type { Hold } from './hold.ts';
import type { Loading, LoadingTask } from './process.ts';

export interface LoadResult {
  content: string;
  entries: number;
  /** Of the JSON files. */
  bytes: number;
  /** `nothing`, `JSON.parse`, Lectern, and the other peers. */
  peers: { peer: string; rounds: Loading[] }[];
  holds: Hold[];
}

export interface LoadTask {
  content: string;
  snapshot: string;
  entries: number;
  peers: string[];
  rounds: number;
}

/** Each load has a process of its own. Lectern and the two bounds load in rounds, the other peers once. */
export async function measureLoad(task: LoadTask, progress: Progress): Promise<LoadResult> {
  const { content, snapshot, entries, rounds } = task;
  const compared = ['nothing', 'JSON.parse', 'lectern'];
  const others = task.peers.filter((peer) => !peer.startsWith('lectern') && !peer.startsWith('floor'));
  const loadings = new Map<string, Loading[]>([...compared, ...others].map((peer) => [peer, []]));
  const load = async (peer: string) => {
    progress.next(peer);
    const loading: LoadingTask = { peer, content, snapshot };
    // Lectern has Node's default heap
    const heapBytes = peer === 'lectern' ? 0 : totalmem();
    loadings.get(peer)!.push(await inOwnProcess<Loading>('./load/process.ts', loading, heapBytes));
  };
  progress.begin('load', compared.length * rounds + others.length);
  for (let round = 0; round < rounds; round++) for (const peer of compared) await load(peer);
  for (const peer of others) await load(peer);
  progress.say('queries without a useful index');
  const holds = await inOwnProcess<Hold[]>('./load/hold.ts', { content, snapshot });
  const peers = [...loadings].map(([peer, list]) => ({ peer, rounds: list }));
  return { content, entries, bytes: bytesOf(snapshot), peers, holds };
}

import { totalmem } from 'node:os';
import { median } from '../statistics.ts';
import { inOwnProcess } from '../task.ts';
import { bytesOf } from './files.ts';
import type { Hold } from './hold.ts';
import type { Loading, LoadingTask } from './process.ts';

/** Medians over the repetitions. */
export interface LoadResult {
  entries: number;
  bytes: number;
  loadings: (Loading & { kind: LoadingTask['kind']; spread: [number, number] })[];
  holds: Hold[];
}

const kinds: LoadingTask['kind'][] = ['nothing', 'JSON.parse', 'lectern'];

/** Each loading has a process of its own; they take turns. */
export async function measureLoad(
  { snapshot, entries, repeat }: { snapshot: string; entries: number; repeat: number },
  say: (line: string) => void,
): Promise<LoadResult> {
  const all = new Map<LoadingTask['kind'], Loading[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < repeat; round++) {
    say(`round ${round + 1} of ${repeat}`);
    for (const kind of kinds) {
      const task: LoadingTask = { kind, snapshot };
      // Lectern gets the heap that Node gives without being asked
      const heapBytes = kind === 'JSON.parse' ? totalmem() : 0;
      all.get(kind)!.push(await inOwnProcess<Loading>('./load/process.ts', task, heapBytes));
    }
  }
  say('bad queries');
  const holds = await inOwnProcess<Hold[]>('./load/hold.ts', { snapshot });
  return {
    entries,
    bytes: bytesOf(snapshot),
    loadings: kinds.map((kind) => ({ kind, ...middle(all.get(kind)!) })),
    holds,
  };
}

function middle(loadings: Loading[]): Loading & { spread: [number, number] } {
  const times = loadings.map(({ milliseconds }) => milliseconds);
  return {
    milliseconds: median(times),
    spread: [Math.min(...times), Math.max(...times)],
    resident: median(loadings.map(({ resident }) => resident)),
    peak: median(loadings.map(({ peak }) => peak)),
  };
}

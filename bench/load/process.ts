import { readFileSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { readEntries } from '../content/rows.ts';
import { builtModule, openBuilt } from '../program.ts';
import { answerTask } from '../task.ts';
import { jsonFiles } from './files.ts';

/** Loads a snapshot, or only parses it, or does nothing, in a process that then tells how much memory it takes. */

export interface LoadingTask {
  kind: 'nothing' | 'JSON.parse' | 'lectern';
  snapshot: string;
}

export interface Loading {
  milliseconds: number;
  /** After the garbage was collected; in bytes. */
  resident: number;
  /** The most at any time; in bytes. */
  peak: number;
}

/** JavaScript has no longer strings; in bytes, which are at least as many. */
const longestString = 500e6;

/**
 * How long freed memory may take to go back to the system, in milliseconds. V8 lets go of a young generation that has
 * grown only when little has been allocated for five seconds.
 */
const settling = 8000;

async function measureLoading({ kind, snapshot }: LoadingTask): Promise<Loading> {
  // the program's code is there before the clock starts
  if (kind === 'lectern') await import(builtModule('index.js'));
  const started = performance.now();
  const held = await load(kind, snapshot);
  const milliseconds = performance.now() - started;
  for (let time = 0; time < 4; time++) {
    (globalThis as { gc?: () => void }).gc?.();
    await setTimeout(settling / 4);
  }
  const resident = process.memoryUsage.rss();
  // KiB
  const peak = process.resourceUsage().maxRSS * 1024;
  if (held === undefined) throw new Error('nothing is held');
  return { milliseconds, resident, peak };
}

function load(kind: LoadingTask['kind'], snapshot: string): unknown {
  if (kind === 'nothing') return null;
  if (kind === 'lectern') return openBuilt(snapshot);
  return jsonFiles(snapshot).map((file) =>
    statSync(file).size > longestString ? [...readEntries(file)] : JSON.parse(readFileSync(file, 'utf8')),
  );
}

answerTask(measureLoading);

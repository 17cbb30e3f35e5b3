import { PerformanceObserver } from 'node:perf_hooks';
import type { Answer } from '../peers/peer.ts';
import type { Asked } from '../query.ts';
import { median, quantile } from '../statistics.ts';

/** Milliseconds of each call. The first call answered the set `first`; the others answered the sets after it. */
interface Calls {
  times: Float64Array;
  first: number;
}

/** What a peer did in one turn. */
export interface Turn extends Calls {
  /** Processor time of the whole turn in user mode, in milliseconds, with compiling and garbage collection. */
  userMilliseconds: number;
  slow: SlowCalls;
}

/** The slowest hundredth of the calls, and what made them slow. The rest is due to the system or the compiler. */
export interface SlowCalls {
  calls: number;
  /** Garbage was collected during these. */
  inCollection: number;
  /** Of the others: the set's median time is at least half of this one. */
  costlySet: number;
}

/** In milliseconds. A turn ends with the first whole pass after `least`, or at `most`. */
export interface TurnLength {
  least: number;
  most: number;
}

/** A slow peer times at least this many sets. */
const fewestCalls = 5;

const collections: { startTime: number; duration: number }[] = [];
const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
observer.observe({ entryTypes: ['gc'] });

/** Goes through the sets in order and times every call. */
export async function takeTurn(answer: Answer, sets: Asked[], first: number, length: TurnLength): Promise<Turn> {
  const times: number[] = [];
  let bytes = 0;
  const before = process.cpuUsage();
  const started = performance.now();
  let last = started;
  for (let set = first; ; set = set + 1 === sets.length ? 0 : set + 1) {
    bytes += answer(sets[set]).length;
    const now = performance.now();
    times.push(now - last);
    last = now;
    const lasted = last - started;
    // a fast peer ends with a whole pass, so that every set counts as often as the others
    if (times.length % sets.length === 0 && lasted >= length.least) break;
    if (times.length >= fewestCalls && lasted >= length.most) break;
  }
  const { user } = process.cpuUsage(before);
  if (bytes === 0) throw new Error('The replies are empty.');
  // the observer is called in the next turn of the event loop
  await new Promise(setImmediate);
  collections.push(...observer.takeRecords());
  const turn = { times: Float64Array.from(times), first, userMilliseconds: user / 1000 };
  const slow = slowCalls(turn, started, sets.length);
  collections.length = 0;
  return { ...turn, slow };
}

function slowCalls({ times, first }: Calls, started: number, sets: number): SlowCalls {
  const limit = quantile(times.toSorted(), 0.99);
  const bySet = timesBySet({ times, first }, sets);
  const slow = { calls: 0, inCollection: 0, costlySet: 0 };
  let start = started;
  for (const [call, time] of times.entries()) {
    const end = start + time;
    if (time >= limit) {
      slow.calls++;
      if (collections.some((each) => each.startTime < end && each.startTime + each.duration > start))
        slow.inCollection++;
      else if (times.length > sets && bySet.get((first + call) % sets)! >= time / 2) slow.costlySet++;
    }
    start = end;
  }
  return slow;
}

/** Milliseconds a call and calls a second. */
export interface Figures {
  median: number;
  p99: number;
  rate: number;
}

export function figuresOf(times: Float64Array): Figures {
  const ascending = times.toSorted();
  const total = ascending.reduce((sum, time) => sum + time, 0);
  return { median: quantile(ascending, 0.5), p99: quantile(ascending, 0.99), rate: (ascending.length / total) * 1000 };
}

/** Times by set: the median where a set was asked more than once in a turn. */
export function timesBySet({ times, first }: Calls, sets: number): Map<number, number> {
  const all = new Map<number, number[]>();
  for (const [call, time] of times.entries()) {
    const set = (first + call) % sets;
    const known = all.get(set);
    if (known) known.push(time);
    else all.set(set, [time]);
  }
  return new Map([...all].map(([set, list]) => [set, median(list)]));
}

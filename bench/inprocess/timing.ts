import type { Peer } from '../peers/peer.ts';
import type { QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';

/** One turn: each in milliseconds a call. */
export interface Turn {
  median: number;
  p99: number;
  /** Operations a second, over the whole turn. */
  rate: number;
  calls: number;
}

/**
 * Milliseconds: a fast peer goes through the sets again until a turn has lasted the least, a slow one stops at the
 * most.
 */
export interface TurnLength {
  least: number;
  most: number;
}

/** A slow peer times at least this many sets. */
const fewestCalls = 5;

/** Goes through the sets in order and times every call. */
export function takeTurn(peer: Peer, name: QueryName, sets: ParameterSet[], length: TurnLength): Turn {
  const times: number[] = [];
  const started = performance.now();
  let before = started;
  let bytes = 0;
  const lasted = () => before - started;
  do {
    for (const set of sets) {
      bytes += peer.query(name, set).length;
      const after = performance.now();
      times.push(after - before);
      before = after;
      if (times.length >= fewestCalls && lasted() > length.most) break;
    }
  } while (lasted() < length.least);
  if (bytes === 0) throw new Error(`${name}: empty replies`);
  const rate = (times.length / lasted()) * 1000;
  times.sort((one, other) => one - other);
  return { median: quantile(times, 0.5), p99: quantile(times, 0.99), rate, calls: times.length };
}

/** Of numbers in ascending order, by the nearest rank. */
export function quantile(ascending: number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))];
}

export function median(numbers: number[]): number {
  return quantile(
    [...numbers].sort((one, other) => one - other),
    0.5,
  );
}

export function geometricMean(numbers: number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
}

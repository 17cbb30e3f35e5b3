import type fc from 'fast-check';
import { Random as Numbers } from '../../bench/random.ts';
import { Random } from '../property/random.ts';

/** Draws from a seed: the same seed draws the same things. */
export function randomFrom(seed: number): Random {
  const numbers = new Numbers(seed);
  return new Random({ nextInt: (low: number, high: number) => numbers.integer(low, high) } as fc.Random);
}

import { median } from '../statistics.ts';
import { digits } from './markdown.ts';

/** Rounds of the same case that differ by more than this factor are too far apart to tell small differences. */
export const wideSpread = 1.3;

export function isWide(numbers: number[]): boolean {
  return Math.max(...numbers) > wideSpread * Math.min(...numbers);
}

/** The median over the rounds of a cost over that of the reference, with a mark where the rounds differ too much. */
export function ratioOver(costs: number[], reference: number[]): string {
  const ratios = costs.map((cost, round) => cost / reference[round]);
  return `${digits(median(ratios))}${isWide(ratios) ? ' ~' : ''}`;
}

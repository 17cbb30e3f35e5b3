/** What a series of pairs shows: each pair measures both versions one right after the other. */

/** A cost (time or bytes) of this version, and of the one that it is compared with. */
export interface Pair {
  ours: number;
  theirs: number;
}

/** `undecided`: fewer pairs than a verdict needs. */
export type Verdict = 'worse' | 'better' | 'no difference shown' | 'undecided';

export interface Comparison {
  /** The median of the ratios of ours to theirs: above 1 costs more. */
  ratio: number;
  /** The smallest and the largest ratio. */
  spread: [number, number];
  verdict: Verdict;
  /** The pairs vary by so much that a difference of 10 % could be missed. */
  isNoisy: boolean;
}

export const pairsForVerdict = 10;

/** A pair counts as different above this ratio, or below its inverse. */
const differs = 1.1;
/** This share of the pairs has to differ, all in the same direction. */
const agreeing = 0.9;
/** Largest over smallest ratio of the middle four fifths of the pairs. */
const noisy = 1.2;

export function compare(pairs: readonly Pair[]): Comparison {
  if (pairs.length === 0) throw new Error('A comparison needs at least one pair.');
  const ratios = pairs.map(({ ours, theirs }) => ours / theirs).sort((one, other) => one - other);
  const edge = Math.floor(ratios.length / 10);
  const trimmed = ratios.slice(edge, ratios.length - edge);
  return {
    ratio: middle(ratios),
    spread: [ratios[0], ratios[ratios.length - 1]],
    verdict: verdictOf(ratios),
    isNoisy: trimmed[trimmed.length - 1] / trimmed[0] > noisy,
  };
}

function verdictOf(ratios: number[]): Verdict {
  if (ratios.length < pairsForVerdict) return 'undecided';
  // in whole numbers: 0.9 * 10 is 9, but 0.9 * 70 is a little above 63
  const needed = Math.ceil(ratios.length * agreeing - 1e-9);
  if (ratios.filter((ratio) => ratio > differs).length >= needed) return 'worse';
  if (ratios.filter((ratio) => ratio < 1 / differs).length >= needed) return 'better';
  return 'no difference shown';
}

/** The mean of the two in the middle if there is an even number of them. */
function middle(ascending: number[]): number {
  const half = ascending.length >> 1;
  return ascending.length % 2 === 1 ? ascending[half] : (ascending[half - 1] + ascending[half]) / 2;
}

/** The four turns of a pair. Drift of the machine within a pair cancels out, and every other pair begins with theirs. */
export function pairTurns(pair: number): readonly ('ours' | 'theirs')[] {
  return pair % 2 === 0 ? ['ours', 'theirs', 'theirs', 'ours'] : ['theirs', 'ours', 'ours', 'theirs'];
}

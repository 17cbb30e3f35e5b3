/** Pairs of measurements of two versions, one right after the other, and what a series of them shows. */

export interface Sides<Item> {
  ours: Item;
  theirs: Item;
}

/** A cost (time or bytes) of this version, and of the one that it is compared with. */
export type Pair = Sides<number>;

/** One cost of both versions, with all pairs that were measured. */
export interface Figure {
  part: 'load' | 'inprocess' | 'http';
  name: string;
  unit: 'milliseconds' | 'bytes';
  pairs: Pair[];
}

/** Adds a pair to a figure of a list. Figures keep the order in which they appear. */
export function addPair(figures: Figure[], { part, name, unit }: Omit<Figure, 'pairs'>, pair: Pair): void {
  let figure = figures.find((each) => each.part === part && each.name === name);
  if (!figure) figures.push((figure = { part, name, unit, pairs: [] }));
  figure.pairs.push(pair);
}

/**
 * Options of Node for processes that are compared. V8 compiles and collects in the main thread: threads beside it would
 * spend processor time at a moment that depends on what else the machine does. Compiled code is kept. Two processes
 * with the same number have the same random seeds, so that V8 decides alike for the same code.
 */
export const steadyFlags = (number: number): string[] => [
  '--no-concurrent-recompilation',
  '--single-threaded-gc',
  '--no-flush-bytecode',
  `--hash-seed=${number + 1}`,
  `--random-seed=${number + 1}`,
];

/** A version at work. Both methods give its processor time so far, in milliseconds of user mode. */
export interface Measured {
  start(): Promise<number>;
  turn(): Promise<{ calls: number; userMilliseconds: number }>;
}

/** The turns of a pair alternate, so that drift of the machine cancels out. Every other pair begins with theirs. */
export function pairTurns(pair: number, twice: boolean): (keyof Sides<unknown>)[] {
  const turns = ['ours', 'theirs', 'theirs', 'ours'] as const;
  const order = pair % 2 === 0 ? turns : turns.map((side) => (side === 'ours' ? 'theirs' : 'ours'));
  return twice ? [...order, ...order] : [...order];
}

/**
 * Cost of one call of both: the mean over the cheaper half of the turns. What else runs on the machine can only make a
 * turn dearer, as it takes its part of the caches.
 */
export async function measurePair(sides: Sides<Measured>, turns: (keyof Sides<unknown>)[]): Promise<Pair> {
  const spent = { theirs: await sides.theirs.start(), ours: await sides.ours.start() };
  const costs: Sides<number[]> = { ours: [], theirs: [] };
  for (const side of turns) {
    const { calls, userMilliseconds } = await sides[side].turn();
    costs[side].push((userMilliseconds - spent[side]) / calls);
    spent[side] = userMilliseconds;
  }
  const cost = (all: number[]) => {
    const cheaper = all.sort((one, other) => one - other).slice(0, Math.ceil(all.length / 2));
    return cheaper.reduce((sum, each) => sum + each) / cheaper.length;
  };
  return { ours: cost(costs.ours), theirs: cost(costs.theirs) };
}

/** `too noisy`: the pairs exclude neither that nothing changed nor a change of 10 %. `undecided`: too few pairs. */
export type Verdict = 'worse' | 'better' | 'no difference shown' | 'too noisy' | 'undecided';

export interface Comparison {
  /** The median of the ratios of ours to theirs: above 1 costs more. */
  ratio: number;
  /** The smallest and the largest ratio. */
  spread: [number, number];
  verdict: Verdict;
}

export const pairsForVerdict = 10;

/** A pair counts as different above this ratio, or below its inverse. */
const differs = 1.1;
/** This share of the pairs has to differ, all in the same direction. */
const agreeing = 0.9;
/**
 * The pairs that are left out at each end to say where the median lies: with ten pairs it lies between the third and
 * the eighth with a probability of 89 %.
 */
const outside = 0.2;

export function compare(pairs: readonly Pair[]): Comparison {
  if (pairs.length === 0) throw new Error('A comparison needs at least one pair.');
  const ratios = pairs.map(({ ours, theirs }) => ours / theirs).sort((one, other) => one - other);
  return { ratio: middle(ratios), spread: [ratios[0], ratios[ratios.length - 1]], verdict: verdictOf(ratios) };
}

function verdictOf(ratios: number[]): Verdict {
  if (ratios.length < pairsForVerdict) return 'undecided';
  // in whole numbers: 0.9 * 10 is 9, but 0.9 * 70 is a little above 63
  const needed = Math.ceil(ratios.length * agreeing - 1e-9);
  if (ratios.filter((ratio) => ratio > differs).length >= needed) return 'worse';
  if (ratios.filter((ratio) => ratio < 1 / differs).length >= needed) return 'better';
  const edge = Math.floor(ratios.length * outside);
  const [least, most] = [ratios[edge], ratios[ratios.length - 1 - edge]];
  const isChangeHidden = (least <= 1 && most > differs) || (most >= 1 && least < 1 / differs);
  return isChangeHidden ? 'too noisy' : 'no difference shown';
}

/** The mean of the two in the middle if there is an even number of them. */
function middle(ascending: number[]): number {
  const half = ascending.length >> 1;
  return ascending.length % 2 === 1 ? ascending[half] : (ascending[half - 1] + ascending[half]) / 2;
}

import { geometricMean, median } from '../statistics.ts';
import type { Figures, SlowCalls } from './timing.ts';

/** A turn of a peer. Times are in milliseconds, `rate` is in calls a second. */
export interface TurnResult extends Figures {
  calls: number;
  userMilliseconds: number;
  slow: SlowCalls;
  /** The first peer in the same round, over the same sets: a slow peer does not get through all of them. */
  reference: Figures;
}

export interface PeerResult {
  peer: string;
  /** One for each round. */
  turns: TurnResult[];
  /** The time of each set in microseconds, median over all rounds. Null where there was no time for it. Not of new forms. */
  samples: (number | null)[];
}

export interface QueryResult {
  name: string;
  label: string;
  title: string;
  outsideMeans: boolean;
  sets: number;
  /** The URLs of the sets, if they are one's own. */
  urls?: string[];
  /** How many different answers these sets have. */
  answers: number;
  medianBytes: number;
  /** How many answers have no entries, and how many are errors. The first error with its URL. */
  empty?: number;
  errors?: number;
  firstError?: string;
  /** Each set has a form of its own, whatever number of sets was asked for. */
  newForms?: boolean;
  /** The median of the totals in the answers that were compared. */
  medianMatches: number;
  peers: PeerResult[];
  /** Peers that do not offer this query. */
  declined: string[];
  /** Peers that answer it otherwise than the first, and what differed first. They are not timed. */
  wrong: { peer: string; difference: string }[];
}

export interface InprocessResult {
  content: string;
  entries: number;
  /** Entries of the type that most queries ask for, as they are served. */
  served: number;
  queries: QueryResult[];
}

/** The median time of a call, its 99th percentile, and the mean time of a call (1 / throughput). */
export type Measure = 'median' | 'p99' | 'rate';

/** A peer's cost over that of the first peer, above 1 if it is slower: the median, the least and the most of all rounds. */
export function ratioOf({ turns }: PeerResult, measure: Measure = 'median') {
  const ratios = turns.map((turn) =>
    measure === 'rate' ? turn.reference.rate / turn.rate : turn[measure] / turn.reference[measure],
  );
  return { ratio: median(ratios), spread: [Math.min(...ratios), Math.max(...ratios)] };
}

/** The geometric mean of a peer's ratios over the queries that count. Null if it does not answer all of them. */
export function meanRatio({ queries }: InprocessResult, peer: string, measure: Measure = 'median'): number | null {
  const counted = queries.filter(({ outsideMeans }) => !outsideMeans);
  const results = counted.map(({ peers }) => peers.find((result) => result.peer === peer));
  if (results.length === 0 || results.some((result) => !result)) return null;
  return geometricMean(results.map((result) => ratioOf(result!, measure).ratio));
}

import type { PeerName } from '../peers/peers.ts';
import type { QueryName } from '../queries/queries.ts';
import { geometricMean, median, type Turn } from './timing.ts';

/** What a peer did with a query: medians over the rounds; `ratio` is its time over Lectern's in the same round. */
export interface Cell {
  peer: PeerName;
  median: number;
  p99: number;
  rate: number;
  calls: number;
  ratio: number;
  /** The smallest and the largest ratio of a round. */
  spread: [number, number];
}

export interface QueryResult {
  name: QueryName;
  sets: number;
  /** Of the replies and of the totals in them. */
  medianBytes: number;
  medianMatches: number;
  cells: Cell[];
  /** Peers that answered otherwise than Lectern, and what differed first: they are not timed. */
  wrong: { peer: PeerName; difference: string }[];
}

export interface InprocessResult {
  entries: number;
  articles: number;
  loads: { peer: PeerName; milliseconds: number }[];
  queries: QueryResult[];
}

export function cellOf(peer: PeerName, turns: Turn[], referenceTurns: Turn[]): Cell {
  const ratios = turns.map((turn, round) => turn.median / referenceTurns[round].median);
  return {
    peer,
    median: median(turns.map((turn) => turn.median)),
    p99: median(turns.map((turn) => turn.p99)),
    rate: median(turns.map((turn) => turn.rate)),
    calls: turns.reduce((total, { calls }) => total + calls, 0),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
  };
}

/** The geometric mean of a peer's ratios over those queries; null if one of them has none. */
export function meanRatio(results: QueryResult[], peer: PeerName): number | null {
  const ratios = results.map(({ cells }) => cells.find((cell) => cell.peer === peer)?.ratio);
  return ratios.length > 0 && ratios.every((ratio) => ratio !== undefined) ? geometricMean(ratios) : null;
}

import {
  type InprocessResult,
  type Measure,
  meanRatio,
  type PeerResult,
  type QueryResult,
  ratioOf,
} from '../inprocess/result.ts';
import type { SlowCalls } from '../inprocess/timing.ts';
import { peers } from '../peers/index.ts';
import { median } from '../statistics.ts';
import { digits, noNumber, spreadOf, table, whole } from './markdown.ts';

/** The ratios of all queries in one table, their means in another, then a table for each query. */
export function inprocessReport(result: InprocessResult): string {
  const { content, entries, served, queries } = result;
  const rounds = queries[0]?.peers[0]?.turns.length ?? 0;
  return [
    `## In process: ${content}, ${whole(entries)} entries, of which ${whole(served)} are served of the type that most queries ask for`,
    `Time over that of the first peer, on the same sets. 1 is as fast, 10 takes ten times as long. Median of the rounds, of which there are ${rounds}. A dash is a query that the peer does not offer.`,
    ratioTable(result),
    'Geometric means over the queries without parentheses:',
    meanTable(result),
    ...queries.map(queryReport),
    tailReport(result),
  ].join('\n\n');
}

/** The peers of a result, in the order of the registry. */
export function presentPeers({ queries }: InprocessResult): string[] {
  const present = new Set(queries.flatMap((query) => [...query.peers, ...query.wrong].map(({ peer }) => peer)));
  return peers.map(({ name }) => name).filter((name) => present.has(name));
}

export const titleOf = (name: string): string => peers.find((peer) => peer.name === name)?.title ?? name;

export function ratioTable(result: InprocessResult): string {
  const names = result.queries.map(({ name, outsideMeans }) => (outsideMeans ? `(${name})` : name));
  const rows = presentPeers(result).map((peer) => [
    titleOf(peer) === peer ? peer : `${titleOf(peer)} (\`${peer}\`)`,
    ...result.queries.map(({ peers: timed, declined }) => {
      const found = timed.find((each) => each.peer === peer);
      return found ? digits(ratioOf(found).ratio) : declined.includes(peer) ? '–' : 'wrong';
    }),
  ]);
  return table(['peer', ...names], rows);
}

const means: [string, Measure][] = [
  ['of the medians', 'median'],
  ['of the time a call (1 / throughput)', 'rate'],
  ['of the 99th percentiles', 'p99'],
];

function meanTable(result: InprocessResult): string {
  const rows = presentPeers(result).map((peer) => [
    titleOf(peer),
    ...means.map(([, measure]) => {
      const mean = meanRatio(result, peer, measure);
      return mean === null ? '–' : digits(mean);
    }),
  ]);
  return table(['peer', ...means.map(([title]) => title)], rows);
}

function queryReport({
  name,
  title,
  newForms = false,
  sets,
  answers,
  medianMatches,
  medianBytes,
  empty = 0,
  declined,
  peers: timed,
  wrong,
}: QueryResult): string {
  return [
    `### ${name}: ${title}`,
    `${whole(sets)} sets of operands with ${whole(answers)} different answers, ${whole(medianMatches)} matches and ${whole(medianBytes)} bytes a reply (medians).${newForms ? ' Each set has a new form; `--sets` does not apply.' : ''}`,
    table(
      ['peer', 'median µs', 'p99 µs', 'calls/s', 'ratio', 'spread', 'calls'],
      [...timed.map(peerRow), ...declined.map((peer) => [titleOf(peer), ...Array<string>(6).fill(noNumber)])],
    ),
    ...(empty > 0 ? [`**${empty} of the answers that were compared have no entries**: their times say little.`] : []),
    ...wrong.map(
      ({ peer, difference }) => `**${titleOf(peer)}** is not timed, as it answers otherwise: ${cut(difference)}`,
    ),
  ].join('\n\n');
}

function peerRow(result: PeerResult): string[] {
  const { peer, turns } = result;
  const { ratio, spread } = ratioOf(result);
  const micro = (of: (turn: PeerResult['turns'][number]) => number) => digits(median(turns.map(of)) * 1000);
  return [
    titleOf(peer),
    micro((turn) => turn.median),
    micro((turn) => turn.p99),
    whole(median(turns.map(({ rate }) => rate))),
    digits(ratio),
    turns.length > 1 ? spreadOf(spread) : '',
    whole(turns.reduce((sum, { calls }) => sum + calls, 0)),
  ];
}

/** What the tail of each peer is made of. */
function tailReport(result: InprocessResult): string {
  const rows = presentPeers(result).flatMap((peer) => {
    const turns = result.queries.flatMap(({ peers: timed }) => timed.find((each) => each.peer === peer)?.turns ?? []);
    const sum = (of: keyof SlowCalls) => turns.reduce((total, { slow }) => total + slow[of], 0);
    const calls = sum('calls');
    const share = (count: number) => `${Math.round((100 * count) / calls)} %`;
    const [collections, sets] = [sum('inCollection'), sum('costlySet')];
    if (calls === 0) return [];
    return [[titleOf(peer), whole(calls), share(collections), share(sets), share(calls - collections - sets)]];
  });
  const header = ['peer', 'slowest hundredth of the calls', 'garbage collected', 'set that is always slow', 'neither'];
  return `### What the tail is made of\n\n${table(header, rows)}`;
}

function cut(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}

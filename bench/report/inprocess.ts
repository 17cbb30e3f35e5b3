import { cut } from '../answers.ts';
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
    meanTable([result], ['median', 'rate', 'p99']),
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
      return found ? digits(ratioOf(found).ratio) : declined.includes(peer) ? noNumber : 'wrong';
    }),
  ]);
  return table(['peer', ...names], rows);
}

/** The name of a peer and its title in a table. */
export type Named = readonly [peer: string, title: string];

const measureTitles: Record<Measure, string> = { median: 'median', rate: 'time a call', p99: '99th percentile' };

/** Geometric means over the queries of each content: a row for each peer, a column for each measure and content. */
export function meanTable(results: InprocessResult[], measures: Measure[], chosen?: readonly Named[]): string {
  const present = [...new Set(results.flatMap(presentPeers))];
  const shown =
    chosen?.filter(([peer]) => present.includes(peer)) ?? present.map((peer): Named => [peer, titleOf(peer)]);
  const columns = measures.flatMap((measure) => results.map((result) => ({ measure, result })));
  const rows = shown.map(([peer, title]) => [
    title,
    ...columns.map(({ measure, result }) => digits(meanRatio(result, peer, measure) ?? Number.NaN)),
  ]);
  return table(['', ...columns.map(({ measure, result }) => `${measureTitles[measure]}, ${result.content}`)], rows);
}

export function queryReport(result: QueryResult): string {
  const { name, title, newForms = false, sets, answers, medianMatches, medianBytes } = result;
  const { declined, peers: timed, wrong } = result;
  return [
    name === title ? `### ${name}` : `### ${name}: ${title}`,
    `${whole(sets)} ${result.urls ? 'URLs' : 'sets of operands'} with ${whole(answers)} different answers, ${whole(medianMatches)} matches and ${whole(medianBytes)} bytes a reply (medians).${newForms ? ' Each set has a new form; `--sets` does not apply.' : ''}`,
    table(
      ['peer', 'median µs', 'p99 µs', 'calls/s', 'ratio', 'spread', 'calls'],
      [...timed.map(peerRow), ...declined.map((peer) => [titleOf(peer), ...Array<string>(6).fill(noNumber)])],
    ),
    ...emptyNotes(result),
    ...wrong.map(
      ({ peer, difference }) =>
        `**${titleOf(peer)}** is not timed, as it answers otherwise: ${cut(difference)} (here is Lectern).`,
    ),
  ].join('\n\n');
}

/** What is measured but says little: answers without entries, and errors. */
export function emptyNotes({
  name,
  sets,
  empty = 0,
  errors = 0,
  firstError = '',
}: Pick<QueryResult, 'name' | 'sets' | 'empty' | 'errors' | 'firstError'>): string[] {
  const warning = empty + errors >= sets ? ' **No answer has entries, so these times say nothing.**' : '';
  const parts = [
    ...(empty > 0 ? [`${empty} answers have no entries`] : []),
    ...(errors > 0 ? [`${errors} answers are errors, the first: \`${cut(firstError)}\``] : []),
  ];
  return parts.length > 0 ? [`**${name}**: ${parts.join('; ')}.${warning}`] : [];
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

function tailReport(result: InprocessResult): string {
  const rows = presentPeers(result).flatMap((peer) => {
    const parts = tailParts(result, peer);
    return parts ? [[titleOf(peer), ...parts]] : [];
  });
  return `### What the tail is made of\n\n${table(['peer', ...tailHeader], rows)}`;
}

/** The tail of one peer in several contents. */
export function tailTable(results: readonly InprocessResult[], peer: string): string {
  const rows = results.flatMap((result) => {
    const parts = tailParts(result, peer);
    return parts ? [[result.content, ...parts]] : [];
  });
  return table(['content', ...tailHeader], rows);
}

const tailHeader = ['slowest hundredth of the calls', 'garbage collected', 'set that is always slow', 'neither'];

/** How many calls the slowest hundredth has, and the shares of its causes. Null without any. */
function tailParts({ queries }: InprocessResult, peer: string): string[] | null {
  const turns = queries.flatMap(({ peers: timed }) => timed.find((each) => each.peer === peer)?.turns ?? []);
  const sum = (of: keyof SlowCalls) => turns.reduce((total, { slow }) => total + slow[of], 0);
  const calls = sum('calls');
  if (calls === 0) return null;
  const share = (count: number) => `${Math.round((100 * count) / calls)} %`;
  const [collections, sets] = [sum('inCollection'), sum('costlySet')];
  return [whole(calls), share(collections), share(sets), share(calls - collections - sets)];
}

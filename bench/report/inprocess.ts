import { type Cell, type InprocessResult, meanRatio } from '../inprocess/result.ts';
import { type PeerName, peerNames } from '../peers/peers.ts';
import { outsideMeans, queries } from '../queries/queries.ts';
import { digits, table, whole } from './markdown.ts';

/** One table with all ratios, then one for each query. */
export function inprocessReport(result: InprocessResult): string {
  const sections = [
    `## In process: ${whole(result.entries)} entries, of which ${whole(result.articles)} articles are served`,
    'Time over that of Lectern with its caches off (1 is as fast, 10 takes ten times as long), median over the rounds:',
    ratioTable(result),
    ...result.queries.map(({ name, sets, medianMatches, medianBytes, cells, wrong }) =>
      [
        `### ${name}: ${queries[name].title}`,
        `${sets} parameter sets; ${whole(medianMatches)} matches and ${whole(medianBytes)} bytes a reply (medians).`,
        table(['peer', 'median ms', 'p99 ms', 'operations/s', 'ratio', 'spread', 'calls'], cells.map(cellRow)),
        ...wrong.map(({ peer, difference }) => `**${peer}** is not timed, it answers otherwise: ${cut(difference)}`),
      ].join('\n\n'),
    ),
    deepReport(result),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

export function presentPeers({ queries: results }: InprocessResult): PeerName[] {
  return peerNames.filter((peer) => results.some(({ cells }) => cells.some((cell) => cell.peer === peer)));
}

function ratioTable(result: InprocessResult): string {
  const counted = result.queries.filter(({ name }) => !outsideMeans.includes(name));
  const names = result.queries.map(({ name }) => (outsideMeans.includes(name) ? `(${name})` : name));
  const rows = presentPeers(result).map((peer) => {
    const ratios = result.queries.map(({ cells }) => cells.find((cell) => cell.peer === peer)?.ratio);
    const mean = meanRatio(counted, peer);
    return [peer, ...ratios.map((ratio) => (ratio === undefined ? 'wrong' : digits(ratio))), mean ? digits(mean) : '-'];
  });
  return table(['peer', ...names, 'geometric mean'], rows);
}

function cellRow({ peer, median, p99, rate, ratio, spread, calls }: Cell): string[] {
  const range = `${digits(spread[0])}-${digits(spread[1])}`;
  return [peer, digits(median), digits(p99), whole(rate), digits(ratio), range, whole(calls)];
}

/** How much a deep filter costs over one on a local field, for Lectern alone. */
function deepReport({ queries: results }: InprocessResult): string {
  const time = (name: string) => results.find((result) => result.name === name)?.cells[0].median;
  const local = time('local');
  const lines = ['deep2', 'deep3'].flatMap((name) => {
    const deep = time(name);
    return deep && local ? [`- ${name} takes ${digits(deep / local)} times as long as local`] : [];
  });
  return lines.length > 0 ? ['Deep filters, Lectern with its caches off:', ...lines].join('\n') : '';
}

function cut(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}

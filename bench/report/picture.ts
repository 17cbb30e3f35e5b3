import { type InprocessResult, meanRatio, ratioOf } from '../inprocess/result.ts';
import { peers } from '../peers/index.ts';
import { presentPeers, titleOf } from './inprocess.ts';
import { digits, whole } from './markdown.ts';
import { axisFor, bar, escapeXml, gridLines, style, text } from './svg.ts';

/** In units of the picture. */
const width = 900;
const plot = { left: 300, right: 850 };
const meanRow = 21;
const thinBar = 5;
const queryGap = 14;

/** A peer without a colour gets one by its place. */
function colourOf(peer: string): string {
  const place = peers.findIndex(({ name }) => name === peer);
  return peers[place]?.colour ?? `hsl(${(place * 137) % 360} 45% 50%)`;
}

/**
 * The ratios of the medians as bars on a logarithmic axis: first the means with names and numbers, then every query.
 * `machine` says where and when it was measured.
 */
export function ratioPicture(result: InprocessResult, machine: string): string {
  const names = presentPeers(result).slice(1);
  const means = names.flatMap((peer) => {
    const ratio = meanRatio(result, peer);
    return ratio === null ? [] : [{ peer, ratio }];
  });
  const queries = result.queries
    .filter(({ outsideMeans }) => !outsideMeans)
    .map(({ label, peers: timed }) => {
      const shown = timed.filter(({ peer }) => names.includes(peer));
      return { label, ratios: shown.map((peer) => ({ peer: peer.peer, ratio: ratioOf(peer).ratio })) };
    });
  const axis = axisFor(
    [...means, ...queries.flatMap(({ ratios }) => ratios)].map(({ ratio }) => ratio),
    plot,
  );
  const parts: string[] = [];
  let y = 96;
  for (const { peer, ratio } of means) {
    parts.push(text(plot.left - 12, y + 12, titleOf(peer), 'end'), bar(axis, y + 2, 13, ratio, colourOf(peer)));
    const end = Math.max(axis.x(ratio), axis.x(1)) + 6;
    parts.push(text(end, y + 12, `${digits(ratio)}×`, 'start', 'strong halo'));
    y += meanRow;
  }
  y += 16;
  parts.push(text(24, y + 6, 'each query, peers in the same order', 'start', 'quiet'));
  y += 20;
  for (const { label, ratios } of queries) {
    const height = ratios.length * thinBar;
    parts.push(text(plot.left - 12, y + height / 2 + 4, label, 'end'));
    for (const [index, { peer, ratio }] of ratios.entries())
      parts.push(bar(axis, y + index * thinBar, thinBar - 1, ratio, colourOf(peer)));
    y += height + queryGap;
  }
  const served = `${whole(result.served)} articles served`;
  const said = means.map(({ peer, ratio }) => `${titleOf(peer)} ${digits(ratio)}`).join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 40}" width="${width}" height="${y + 40}" role="img" aria-labelledby="title description">
<title id="title">Time of each query over that of Lectern, ${served}</title>
<desc id="description">Geometric means: ${escapeXml(said)}. ${escapeXml(machine)}.</desc>
<style>${style}</style>
<rect class="paper" width="${width}" height="${y + 40}" rx="10"/>
${text(24, 32, 'In process, from the query to the bytes of the reply', 'start', 'heading')}
${text(24, 52, 'Time over that of Lectern with its caches off, logarithmic; geometric mean over the queries first', 'start', 'quiet')}
${gridLines(axis, 88, y - 4)}
${parts.join('\n')}
${text(24, y + 22, `${served}. ${machine}`, 'start', 'quiet small')}
</svg>
`;
}

/** The elements of the picture, which loads nothing from elsewhere. */

export const style = `
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #24292f; }
.heading { font-size: 17px; font-weight: 600; }
.strong { font-weight: 600; }
.quiet { fill: #57606a; }
.small { font-size: 11px; }
.paper { fill: #fbfbfa; }
.grid { stroke: #d9dce0; }
.one { stroke: #24292f; stroke-width: 1.5; }
.halo { paint-order: stroke; stroke: #fbfbfa; stroke-width: 3px; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e8ea; }
  .quiet { fill: #a3abb3; }
  .paper { fill: #17191c; }
  .grid { stroke: #363b41; }
  .one { stroke: #e6e8ea; }
  .halo { stroke: #17191c; }
}
`;

export interface Axis {
  decades: number[];
  x(ratio: number): number;
}

/** Whole decades that include 1 and all ratios. */
export function axisFor(ratios: number[], { left, right }: { left: number; right: number }): Axis {
  const logarithms = [0, ...ratios.map(Math.log10)];
  const least = Math.floor(Math.min(...logarithms));
  const most = Math.max(least + 1, Math.ceil(Math.max(...logarithms)));
  const decades = Array.from({ length: most - least + 1 }, (_, index) => least + index);
  return { decades, x: (ratio) => left + ((Math.log10(ratio) - least) / (most - least)) * (right - left) };
}

/** One line a decade, named at the top. The line at 1 is Lectern. */
export function gridLines({ decades, x }: Axis, top: number, bottom: number): string {
  const lines = decades.map((decade) => {
    const at = x(10 ** decade).toFixed(1);
    const name =
      decade === 0
        ? 'Lectern'
        : decade > 0
          ? `${(10 ** decade).toLocaleString('en-US')}×`
          : `1/${(10 ** -decade).toLocaleString('en-US')}`;
    const line = `<line class="${decade === 0 ? 'one' : 'grid'}" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}"/>`;
    return `${line}\n${text(Number(at), top - 8, name, 'middle', decade === 0 ? 'strong' : 'quiet small')}`;
  });
  return lines.join('\n');
}

/** From 1 to the ratio. */
export function bar({ x }: Axis, y: number, height: number, ratio: number, colour: string): string {
  const [from, to] = [x(1), x(ratio)].sort((one, other) => one - other);
  const length = Math.max(1.5, to - from);
  return `<rect x="${from.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="${height}" fill="${colour}"/>`;
}

export function text(
  x: number,
  y: number,
  content: string,
  anchor: 'start' | 'middle' | 'end',
  classes = 'label',
): string {
  return `<text class="${classes}" x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">${escapeXml(content)}</text>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeXml(content: string): string {
  return content.replace(/[&<>"]/g, (character) => entities[character]);
}

import { median } from '../statistics.ts';

/** Tables and numbers as text. */

export function table(headers: string[], rows: string[][]): string {
  const align = headers.map((_, column) => (column === 0 ? '---' : '---:'));
  return [headers, align, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** What stands for a number that there is not, as when a service has answered nothing. */
export const noNumber = '–';

/** Three digits that count: 0.00123, 0.12, 1.23, 12.3, 123, 1,230. */
export function digits(number: number): string {
  if (!Number.isFinite(number)) return noNumber;
  if (number === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(number)));
  if (size >= 3) return Math.round(number).toLocaleString('en-US');
  return number.toFixed(Math.min(6, Math.max(0, 2 - size)));
}

export function whole(number: number): string {
  return Number.isFinite(number) ? Math.round(number).toLocaleString('en-US') : noNumber;
}

/** The least and the most of several rounds. One round has no spread. */
export function spreadOf(numbers: number[]): string {
  return numbers.length > 1 ? `${digits(Math.min(...numbers))}-${digits(Math.max(...numbers))}` : '';
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Rounds of the same case that differ by more than this factor are too far apart to tell small differences. */
export const wideSpread = 1.3;

/** The median over the rounds of a cost over that of the reference, with a mark where the rounds differ too much. */
export function ratioOver(costs: number[], reference: number[]): string {
  const ratios = costs.map((cost, round) => cost / reference[round]);
  const isWide = Math.max(...ratios) > wideSpread * Math.min(...ratios);
  return `${digits(median(ratios))}${isWide ? ' ~' : ''}`;
}

/** Tables and numbers as text. */

export function table(headers: string[], rows: string[][]): string {
  const align = headers.map((_, column) => (column === 0 ? '---' : '---:'));
  return [headers, align, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Three digits that count: 0.00123, 0.12, 1.23, 12.3, 123, 1,230. */
export function digits(number: number): string {
  if (number === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(number)));
  if (size >= 3) return Math.round(number).toLocaleString('en-US');
  return number.toFixed(Math.min(6, Math.max(0, 2 - size)));
}

export function whole(number: number): string {
  return Math.round(number).toLocaleString('en-US');
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

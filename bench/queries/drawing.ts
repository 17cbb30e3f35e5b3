import type { Row, Rows } from '../content/rows.ts';
import { defaultPageSize } from '../query.ts';
import type { Random } from '../random.ts';

/** What queries of the magazine draw from. */

export const kinds = (rows: Rows) => distinct(rows.type('article'), 'kind');
export const leagues = (rows: Rows) => distinct(rows.type('team'), 'league');

const known = new WeakMap<Row[], string[]>();

function distinct(rows: Row[], attribute: string): string[] {
  if (!known.has(rows)) known.set(rows, [...new Set(rows.map((row) => row[attribute] as string))]);
  return known.get(rows)!;
}

/** A page of a filter that one article in eight satisfies, or in the rarest case one in sixteen. At most page 30. */
export function filteredPage(random: Random, rows: Rows): number {
  const pages = Math.floor(rows.type('article').length / defaultPageSize / 16);
  return random.integer(1, Math.max(1, Math.min(30, pages)));
}

/** A word of a title in lower case, of so many letters from a to z or more. */
export function wordOf(random: Random, rows: Rows, letters: number): string {
  for (;;) {
    const { title } = random.pick(rows.type('article'));
    const words = (title as string).toLowerCase().match(new RegExp(`(?<!\\p{L})[a-z]{${letters},}(?!\\p{L})`, 'gu'));
    if (words) return random.pick(words);
  }
}

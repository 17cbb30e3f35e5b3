/** How many entries of each type there are, and which rows each article has. */
import { Random } from './random.ts';

export interface Plan {
  teams: number;
  authors: number;
  categories: number;
  issues: number;
  users: number;
  files: number;
  bookmarks: number;
  invoices: number;
  homepage: number;
  /** Entries of places, not documents. */
  placeRows: number;
  articleRows: number;
}

/** Counts that add up to `entries` exactly; articles, about four fifths, take what the others leave. */
export function plan(entries: number): Plan {
  const share = (part: number, least: number, most = Number.POSITIVE_INFINITY) =>
    Math.min(most, Math.max(least, Math.round(entries / part)));
  const others = {
    teams: share(1000, 8),
    authors: share(20, 50),
    categories: share(100, 24, 300),
    issues: share(60, 16, 84),
    users: share(100, 12),
    files: share(20, 40),
    bookmarks: share(40, 16),
    invoices: 12,
    homepage: 4,
    placeRows: share(30, 24),
  };
  const taken = Object.values(others).reduce((sum, count) => sum + count, 0);
  return { ...others, articleRows: entries - taken };
}

/** The possible rows of an article, one bit each, in the order in which they are written. */
export const ARTICLE_ROWS = [
  { bit: 1, locale: 'en', status: 'published' },
  { bit: 2, locale: 'en', status: 'draft' },
  { bit: 4, locale: 'fr', status: 'published' },
  { bit: 8, locale: 'fr', status: 'draft' },
  { bit: 16, locale: 'de', status: 'published' },
] as const;
export type ArticleRow = (typeof ARTICLE_ROWS)[number];

/**
 * The rows of each article document, as bits. About 8 in 100 are drafts only; of the published ones 3 in 10 have a
 * newer draft, a fifth are in French and an eighth in German, and 1 in 100 exists in French only.
 */
export function articleRows(seed: number, total: number): Uint8Array {
  const rows = new Uint8Array(total);
  let documents = 0;
  for (let left = total; left > 0; documents++) {
    let bits = bitsOf(new Random(seed, 'article rows', documents));
    // the last document gives up rows that would pass the total
    for (let at = ARTICLE_ROWS.length - 1; bitCount(bits) > left; at--) bits &= ~ARTICLE_ROWS[at].bit;
    rows[documents] = bits;
    left -= bitCount(bits);
  }
  return rows.subarray(0, documents);
}

function bitsOf(random: Random): number {
  const fate = random.next();
  if (fate < 0.08) return 2;
  if (fate < 0.09) return 4;
  let bits = random.chance(0.3) ? 3 : 1;
  const french = random.next();
  if (french < 0.2) bits |= french < 0.03 ? 12 : 4;
  else if (french < 0.23) bits |= 8;
  if (random.chance(0.125)) bits |= 16;
  return bits;
}

function bitCount(bits: number): number {
  return ARTICLE_ROWS.filter((row) => bits & row.bit).length;
}

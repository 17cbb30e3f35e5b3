import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The rows that every peer is given: of each article the one that is served by default (published, in English), and
 * all authors, teams and categories. Attributes carry the value that is served, and no private ones are kept.
 */
export interface Rows {
  articles: Article[];
  authors: Author[];
  teams: Team[];
  categories: Category[];
}

interface Entry {
  id: number;
  documentId: string;
  createdAt: string | null;
  updatedAt: string | null;
  publishedAt: string | null;
}

export interface Team extends Entry {
  name: string;
  slug: string;
  league: string;
  city: string | null;
  chant: string | null;
  founded: string | null;
  points: number | null;
}

export interface Author extends Entry {
  name: string;
  slug: string;
  stars: number | null;
  motto: string | null;
  bio: string | null;
  born: string | null;
  email: string | null;
  joinedAt: string | null;
  languages: unknown;
  onStaff: boolean | null;
  team: Team | null;
  mentor: Author | null;
}

export interface Category extends Entry {
  name: string;
  slug: string;
  description: string | null;
  colour: string | null;
  rank: number | null;
}

export interface Article extends Entry {
  title: string;
  slug: string;
  lead: string | null;
  kind: string;
  premium: boolean;
  rating: number | null;
  publishedOn: string | null;
  reading: number;
  views: string | null;
  figures: unknown;
  keywords: unknown;
  correctedAt: string | null;
  footnote: string | null;
  body: unknown;
  locale: string;
  author: Author | null;
  categories: Category[];
}

/** An entry as it stands in the file: relations are documentIds, and what is null is left out. */
// biome-ignore lint/suspicious/noExplicitAny: the generator's content types say what stands in the files
type Written = Record<string, any>;

export function readRows(snapshot: string): Rows {
  const read = (type: string) => readEntries(join(snapshot, 'entries', `${type}.json`));
  const teams = [...read('team')].map(team);
  const categories = [...read('category')].map(category);
  const teamOf = byDocument(teams);
  const categoryOf = byDocument(categories);

  const written = [...read('author')];
  const authors = written.map((entry) => author(entry, teamOf));
  const authorOf = byDocument(authors);
  for (const [index, { mentor }] of written.entries()) authors[index].mentor = authorOf.get(mentor) ?? null;

  const articles: Article[] = [];
  for (const entry of read('article')) {
    if (entry.status === 'published' && entry.locale === 'en') articles.push(article(entry, authorOf, categoryOf));
  }
  return { articles, authors, teams, categories };
}

/** One entry a line, as the generator writes them: a file may be longer than the longest string. */
export function* readEntries(path: string): Generator<Written> {
  for (const line of readLines(path)) {
    const text = line.endsWith(',') ? line.slice(0, -1) : line;
    if (text.startsWith('{')) yield JSON.parse(text) as Written;
  }
}

function* readLines(path: string): Generator<string> {
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(1 << 20);
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let length = 0; (length = readSync(file, chunk)) > 0; ) {
      const lines = (rest + decoder.decode(chunk.subarray(0, length), { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    yield rest;
  } finally {
    closeSync(file);
  }
}

function byDocument<Row extends Entry>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.documentId, row]));
}

function system({ id, documentId, createdAt = null, updatedAt = null, publishedAt = null }: Written): Entry {
  return { id, documentId, createdAt, updatedAt, publishedAt };
}

function team(entry: Written): Team {
  const { name, slug, league, city = null, chant = null, founded = null, points = null } = entry;
  return { ...system(entry), name, slug, league, city, chant, founded, points };
}

function category(entry: Written): Category {
  const { name, slug, description = null, colour = null, rank = null } = entry;
  return { ...system(entry), name, slug, description, colour, rank };
}

function author(entry: Written, teamOf: Map<string, Team>): Author {
  const { name, slug, stars = null, motto = null, bio = null, born = null, email = null, joinedAt = null } = entry;
  const { languages = null, onStaff = null } = entry;
  const scalars = { name, slug, stars, motto, bio, born, email, joinedAt, languages, onStaff };
  return { ...system(entry), ...scalars, team: teamOf.get(entry.team) ?? null, mentor: null };
}

function article(entry: Written, authorOf: Map<string, Author>, categoryOf: Map<string, Category>): Article {
  const { title, slug, lead = null, kind, premium, rating = null, publishedOn = null, reading } = entry;
  const { figures = null, keywords = null, correctedAt = null, footnote = null, body = null, locale } = entry;
  const views = entry.views == null ? null : String(entry.views);
  const short = { title, slug, lead, kind, premium, rating, publishedOn, reading, views };
  const long = { figures, keywords, correctedAt, footnote, body, locale };
  const categories = ((entry.categories ?? []) as string[]).map((documentId) => categoryOf.get(documentId)!);
  return { ...system(entry), ...short, ...long, author: authorOf.get(entry.author) ?? null, categories };
}

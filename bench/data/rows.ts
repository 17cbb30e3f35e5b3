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

// Each kind of row is one literal: objects that are put together from others are slow to read in V8, and the peers
// that keep rows as objects would pay for it.

function team(entry: Written): Team {
  return {
    id: entry.id,
    documentId: entry.documentId,
    createdAt: entry.createdAt ?? null,
    updatedAt: entry.updatedAt ?? null,
    publishedAt: entry.publishedAt ?? null,
    name: entry.name,
    slug: entry.slug,
    league: entry.league,
    city: entry.city ?? null,
    chant: entry.chant ?? null,
    founded: entry.founded ?? null,
    points: entry.points ?? null,
  };
}

function category(entry: Written): Category {
  return {
    id: entry.id,
    documentId: entry.documentId,
    createdAt: entry.createdAt ?? null,
    updatedAt: entry.updatedAt ?? null,
    publishedAt: entry.publishedAt ?? null,
    name: entry.name,
    slug: entry.slug,
    description: entry.description ?? null,
    colour: entry.colour ?? null,
    rank: entry.rank ?? null,
  };
}

/** The mentor, who may stand further down, is filled in later. */
function author(entry: Written, teamOf: Map<string, Team>): Author {
  return {
    id: entry.id,
    documentId: entry.documentId,
    createdAt: entry.createdAt ?? null,
    updatedAt: entry.updatedAt ?? null,
    publishedAt: entry.publishedAt ?? null,
    name: entry.name,
    slug: entry.slug,
    stars: entry.stars ?? null,
    motto: entry.motto ?? null,
    bio: entry.bio ?? null,
    born: entry.born ?? null,
    email: entry.email ?? null,
    joinedAt: entry.joinedAt ?? null,
    languages: entry.languages ?? null,
    onStaff: entry.onStaff ?? null,
    team: teamOf.get(entry.team) ?? null,
    mentor: null,
  };
}

function article(entry: Written, authorOf: Map<string, Author>, categoryOf: Map<string, Category>): Article {
  return {
    id: entry.id,
    documentId: entry.documentId,
    createdAt: entry.createdAt ?? null,
    updatedAt: entry.updatedAt ?? null,
    publishedAt: entry.publishedAt ?? null,
    title: entry.title,
    slug: entry.slug,
    lead: entry.lead ?? null,
    kind: entry.kind,
    premium: entry.premium,
    rating: entry.rating ?? null,
    publishedOn: entry.publishedOn ?? null,
    reading: entry.reading,
    views: entry.views === undefined || entry.views === null ? null : String(entry.views),
    figures: entry.figures ?? null,
    keywords: entry.keywords ?? null,
    correctedAt: entry.correctedAt ?? null,
    footnote: entry.footnote ?? null,
    body: entry.body ?? null,
    locale: entry.locale,
    author: authorOf.get(entry.author) ?? null,
    categories: ((entry.categories ?? []) as string[]).map((documentId) => categoryOf.get(documentId)!),
  };
}

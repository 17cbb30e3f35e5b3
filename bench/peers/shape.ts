import type { Article, Author, Category, Team } from '../data/rows.ts';
import { pageSize } from '../queries/queries.ts';

/** From found rows to the reply's bytes, for every peer that keeps rows as objects. */
export function replyOf(entries: object[], page: number, total: number): Buffer {
  const pagination = { page, pageSize, pageCount: Math.ceil(total / pageSize), total };
  return Buffer.from(JSON.stringify({ data: entries, meta: { pagination } }));
}

/** The scalar attributes: what is served without populate. */
export function articleShape(row: Article) {
  return {
    id: row.id,
    documentId: row.documentId,
    title: row.title,
    slug: row.slug,
    lead: row.lead,
    kind: row.kind,
    premium: row.premium,
    rating: row.rating,
    publishedOn: row.publishedOn,
    reading: row.reading,
    views: row.views,
    figures: row.figures,
    keywords: row.keywords,
    correctedAt: row.correctedAt,
    footnote: row.footnote,
    body: row.body,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    publishedAt: row.publishedAt,
    locale: row.locale,
  };
}

export function populatedShape(row: Article): object {
  const { author } = row;
  const writer = author && withTeam(authorShape(author), author.team && teamShape(author.team));
  return withRelations(articleShape(row), writer, row.categories.map(categoryShape));
}

/** Attributes are added in place: a spread of this many costs more than all the rest of the shaping. */
export function withRelations(entry: object, author: object | null, categories: object[]): object {
  const populated = entry as { author: object | null; categories: object[] };
  populated.author = author;
  populated.categories = categories;
  return populated;
}

export function withTeam(author: object, team: object | null): object {
  const populated = author as { team: object | null };
  populated.team = team;
  return populated;
}

export function authorShape(row: Author) {
  return {
    id: row.id,
    documentId: row.documentId,
    name: row.name,
    slug: row.slug,
    stars: row.stars,
    motto: row.motto,
    bio: row.bio,
    born: row.born,
    email: row.email,
    joinedAt: row.joinedAt,
    languages: row.languages,
    onStaff: row.onStaff,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    publishedAt: row.publishedAt,
  };
}

export function teamShape(row: Team) {
  return {
    id: row.id,
    documentId: row.documentId,
    name: row.name,
    slug: row.slug,
    league: row.league,
    city: row.city,
    chant: row.chant,
    founded: row.founded,
    points: row.points,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    publishedAt: row.publishedAt,
  };
}

export function categoryShape(row: Category) {
  return {
    id: row.id,
    documentId: row.documentId,
    name: row.name,
    slug: row.slug,
    description: row.description,
    colour: row.colour,
    rank: row.rank,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    publishedAt: row.publishedAt,
  };
}

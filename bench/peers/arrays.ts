import type { Article, Rows } from '../data/rows.ts';
import { manyPage, type Parameters, pageSize, type QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';
import { byDateDescending, byId, byRatingDescending, byTitle, type Order } from './order.ts';
import type { Peer } from './peer.ts';
import { articleShape, populatedShape, replyOf } from './shape.ts';

/** What a query comes down to over plain arrays. Without an order the rows stand by id already. */
export interface Search {
  test: ((row: Article) => boolean) | null;
  order: Order | null;
  page: number;
}

type Searches = { [Name in QueryName]: (parameters: Parameters[Name]) => Search };

const searches: Searches = {
  slug: ({ slug }) => ({ test: (row) => row.slug === slug, order: null, page: 1 }),
  two: ({ premium, rating }) => ({
    test: (row) => row.premium === premium && row.rating !== null && row.rating >= rating,
    order: byDateDescending,
    page: 1,
  }),
  local: ({ kind, page }) => ({ test: (row) => row.kind === kind, order: byRatingDescending, page }),
  deep2: ({ league, page }) => ({
    test: (row) => row.author?.team?.league === league,
    order: byRatingDescending,
    page,
  }),
  deep3: ({ league, page }) => ({
    test: (row) => row.author?.mentor?.team?.league === league,
    order: byRatingDescending,
    page,
  }),
  many: ({ slugs, from, to }) => ({
    test: (row) => row.reading >= from && row.reading <= to && row.categories.some(({ slug }) => slugs.includes(slug)),
    order: byDateDescending,
    page: manyPage,
  }),
  contains: ({ piece }) => ({ test: (row) => row.title.toLowerCase().includes(piece), order: byId, page: 1 }),
  page: ({ page }) => ({ test: null, order: null, page }),
  mix: ({ kind, rating }) => ({
    test: (row) =>
      (row.kind === kind && row.rating !== null && row.rating > rating) ||
      (row.author !== null && row.author.stars !== null && row.author.stars < 2),
    order: byTitle,
    page: 1,
  }),
};

export function searchOf(name: QueryName, { parameters }: ParameterSet): Search {
  return (searches[name] as (parameters: Parameters[QueryName]) => Search)(parameters);
}

export function pageOf(matches: Article[], { page }: Search): Article[] {
  return matches.slice((page - 1) * pageSize, page * pageSize);
}

export function runSearch(articles: Article[], search: Search): Article[] {
  const matches = search.test ? articles.filter(search.test) : articles;
  return search.order ? matches.sort(search.order) : matches;
}

/** Rows as objects that hold their relations: filter all, sort all that match, cut the page out. */
export class Arrays implements Peer {
  #articles: Article[] = [];

  load({ articles }: Rows): void {
    this.#articles = articles;
  }

  query(name: QueryName, set: ParameterSet): Buffer {
    const search = searchOf(name, set);
    const matches = runSearch(this.#articles, search);
    const shape = name === 'page' ? populatedShape : articleShape;
    return replyOf(pageOf(matches, search).map(shape), search.page, matches.length);
  }
}

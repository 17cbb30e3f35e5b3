import type { Article } from '../data/rows.ts';

/** Orders of rows in JavaScript: nulls last ascending and first descending, ties by ascending id. */
export type Order = (one: Article, other: Article) => number;

export const byId: Order = (one, other) => one.id - other.id;

export const byRatingDescending: Order = (one, other) =>
  (other.rating ?? Number.POSITIVE_INFINITY) === (one.rating ?? Number.POSITIVE_INFINITY)
    ? one.id - other.id
    : (other.rating ?? Number.POSITIVE_INFINITY) - (one.rating ?? Number.POSITIVE_INFINITY);

/** `~` stands after every digit. */
export const byDateDescending: Order = (one, other) => {
  const [first, second] = [one.publishedOn ?? '~', other.publishedOn ?? '~'];
  return first === second ? one.id - other.id : first < second ? 1 : -1;
};

/** By UTF-16 unit, which is the order of code points as long as no character lies beyond U+FFFF. */
export const byTitle: Order = (one, other) =>
  one.title === other.title ? one.id - other.id : one.title < other.title ? -1 : 1;

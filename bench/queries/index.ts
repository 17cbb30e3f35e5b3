import type { Query } from '../query.ts';
import { linksQueries } from './links.ts';
import { magazineQueries } from './magazine.ts';
import { pagesQueries } from './pages.ts';

/** In the order of the tables. */
export const queries: Query[] = [...magazineQueries, ...linksQueries, ...pagesQueries];

export function queryNamed(name: string): Query {
  const found = queries.find((query) => query.name === name);
  if (!found) {
    const names = queries.map((query) => query.name).join(', ');
    throw new Error(`There is no query ${JSON.stringify(name)}. Queries: ${names}.`);
  }
  return found;
}

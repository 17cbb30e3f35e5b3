import type { Query } from '../query.ts';
import { linksQueries } from './links.ts';
import { magazineQueries } from './magazine.ts';
import { pagesQueries } from './pages.ts';

/** In the order of the tables. */
export const queries: Query[] = [...magazineQueries, ...linksQueries, ...pagesQueries];

/** The name has to be one of those above. */
export const queryNamed = (name: string): Query => queries.find((query) => query.name === name)!;

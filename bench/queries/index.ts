import type { Query } from '../query.ts';
import { contains } from './contains.ts';
import { deep2, deep3 } from './deep.ts';
import { fields } from './fields.ts';
import { forms } from './forms.ts';
import { local } from './local.ts';
import { many } from './many.ts';
import { mix } from './mix.ts';
import { page } from './page.ts';
import { relatedSort } from './related-sort.ts';
import { search } from './search.ts';
import { slug } from './slug.ts';
import { two } from './two.ts';

/** In the order of the tables. */
export const queries: Query[] = [
  slug,
  two,
  local,
  deep2,
  deep3,
  many,
  contains,
  page,
  mix,
  fields,
  relatedSort,
  search,
  forms,
];

export function queryNamed(name: string): Query {
  const found = queries.find((query) => query.name === name);
  if (!found)
    throw new Error(
      `There is no query ${JSON.stringify(name)}. Queries: ${queries.map(({ name }) => name).join(', ')}.`,
    );
  return found;
}

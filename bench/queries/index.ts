import type { Query } from '../query.ts';
import { linksArtistSort } from './links/artist-sort.ts';
import { linksCode } from './links/code.ts';
import { linksDeep } from './links/deep.ts';
import { linksFields } from './links/fields.ts';
import { linksPage } from './links/page.ts';
import { linksRange } from './links/range.ts';
import { linksSearch } from './links/search.ts';
import { linksSimilar } from './links/similar.ts';
import { contains } from './magazine/contains.ts';
import { deep2, deep3 } from './magazine/deep.ts';
import { fields } from './magazine/fields.ts';
import { forms } from './magazine/forms.ts';
import { local } from './magazine/local.ts';
import { many } from './magazine/many.ts';
import { mix } from './magazine/mix.ts';
import { page } from './magazine/page.ts';
import { relatedSort } from './magazine/related-sort.ts';
import { search } from './magazine/search.ts';
import { slug } from './magazine/slug.ts';
import { two } from './magazine/two.ts';
import { pagesComponent } from './pages/component.ts';
import { pagesDeep } from './pages/deep.ts';
import { pagesFields } from './pages/fields.ts';
import { pagesOwnerSort } from './pages/owner-sort.ts';
import { pagesRange } from './pages/range.ts';
import { pagesSearch } from './pages/search.ts';
import { pagesSlug } from './pages/slug.ts';
import { pagesWhole } from './pages/whole.ts';

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
  linksCode,
  linksRange,
  linksDeep,
  linksSimilar,
  linksPage,
  linksFields,
  linksArtistSort,
  linksSearch,
  pagesSlug,
  pagesRange,
  pagesDeep,
  pagesComponent,
  pagesWhole,
  pagesFields,
  pagesOwnerSort,
  pagesSearch,
];

export function queryNamed(name: string): Query {
  const found = queries.find((query) => query.name === name);
  if (!found)
    throw new Error(
      `There is no query ${JSON.stringify(name)}. Queries: ${queries.map(({ name }) => name).join(', ')}.`,
    );
  return found;
}

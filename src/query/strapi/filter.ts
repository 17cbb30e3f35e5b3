import { isLocalizations } from '../../model/schema.ts';
import { everyVersion } from '../bound.ts';
import type { Comparison } from '../operators.ts';
import type { FilterPolicy } from '../policies.ts';

/** The comparisons of JSON and blocks, which are made of their text. */
const jsonComparisons: ReadonlySet<Comparison> = new Set<Comparison>([
  'equal',
  'oneOf',
  'equalFolded',
  'containsFolded',
  'startsWithFolded',
  'endsWithFolded',
]);

/** Strapi 4. Filters also lead through media, negation moves into relations, and `_` is a wildcard in `_q`. */
export const strapi4Filter: FilterPolicy = {
  countsAsAbsent: ({ raw }, { param }) => raw === '' && param === 'populate',
  leadsThrough: () => true,
  boundName: ({ name }) => name,
  negatesAsAntiJoin: () => false,
  comparesJson: ({ type }, comparison) => type !== 'array' && jsonComparisons.has(comparison),
  searchComparison: (text) => (text.includes('_') ? 'matchesFolded' : 'containsFolded'),
  // the ids of documents are generated when the content is loaded, so nobody has seen them
  isSearched: ({ name, searchable }) => name !== 'documentId' && (searchable || name === 'locale'),
};

/** Strapi 5. Through localizations filters and sorts see all rows of the document, drafts and the row itself included. */
export const strapiFilter: FilterPolicy = {
  ...strapi4Filter,
  boundName: (attribute) => (isLocalizations(attribute) ? everyVersion : attribute.name),
  isSearched: ({ name, searchable }) => searchable || name === 'locale',
};

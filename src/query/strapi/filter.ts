import { isLocalizations } from '../../model/schema/schema.ts';
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

/**
 * Filters also lead through media, negation moves into relations, and `_` is a wildcard in `_q`. Through localizations
 * filters and sorts see all rows of the document, drafts and the row itself included.
 */
export const strapiFilter: FilterPolicy = {
  countsAsAbsent: ({ raw }, { param }) => raw === '' && param === 'populate',
  leadsThrough: () => true,
  boundName: (attribute) => (isLocalizations(attribute) ? everyVersion : attribute.name),
  negatesAsAntiJoin: () => false,
  comparesJson: ({ type }, comparison) => type !== 'array' && jsonComparisons.has(comparison),
  searchComparison: (text) => (text.includes('_') ? 'matchesFolded' : 'containsFolded'),
  isSearched: ({ name, searchable }) => searchable || name === 'locale',
};

/** Strapi 4 does not see all rows of the document through localizations. */
export const strapi4Filter: FilterPolicy = {
  ...strapiFilter,
  boundName: ({ name }) => name,
  // the ids of documents are generated when the content is loaded, so nobody has seen them
  isSearched: (attribute) => attribute.name !== 'documentId' && strapiFilter.isSearched(attribute),
};

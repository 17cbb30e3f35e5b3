import type { FilterPolicy } from '../policies.ts';

/** Filters and sorts lead through relations and components; JSON and blocks are only tested for null. */
export const documentFilter: FilterPolicy = {
  countsAsAbsent: () => false,
  leadsThrough: ({ kind }) => kind !== 'media',
  boundName: ({ name }) => name,
  negatesAsAntiJoin: ({ many }) => many,
  comparesJson: () => false,
  searchComparison: () => 'containsFolded',
  isSearched: ({ searchable }) => searchable,
};

/** The documentIds of content of Strapi 4 are generated when it is loaded, so nobody has seen them. */
export const document4Filter: FilterPolicy = {
  ...documentFilter,
  isSearched: ({ name, searchable }) => name !== 'documentId' && searchable,
};

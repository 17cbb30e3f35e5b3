/** Draft and published rows are paired by document and locale; those that end in `-document` look at all locales. */
export const publicationFilters = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
] as const;

export type PublicationFilter = (typeof publicationFilters)[number];

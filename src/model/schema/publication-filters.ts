/**
 * Values of the parameter `publicationFilter`. They compare the draft and the published version of a document in the
 * same locale. Values that end in `-document` compare versions in all locales.
 */
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

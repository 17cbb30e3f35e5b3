/** What the strict rules add for content of Strapi 4, whose clients cannot do without it. */
import { readPublicationState } from '../bind/publication-state.ts';
import type { FilterPolicy, VersionPolicy } from '../policies.ts';
import { explainedMessages } from './explained-messages.ts';
import { strictFilter } from './filter.ts';
import { checkLocale, strictVersion } from './version.ts';

export const strictVersionOfVersion4: VersionPolicy = {
  ...strictVersion,
  publicationState: (value) => readPublicationState(value, explainedMessages),
  drafts: null,
  readLocale(context, locale) {
    const given = locale === 'all' ? '*' : locale;
    checkLocale(context, given);
    return given;
  },
};

/** The ids of documents are generated when the content is loaded, so nobody has seen them. */
export const strictFilterOfVersion4: FilterPolicy = {
  ...strictFilter,
  isSearched: ({ name, searchable }) => name !== 'documentId' && searchable,
};

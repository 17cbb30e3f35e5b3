import { readPublicationState } from '../bind/bind-version.ts';
import { withoutAlias } from '../document/version.ts';
import type { VersionPolicy } from '../policies.ts';
import { recordedCasts } from './casts.ts';
import { recordedMessages } from './recorded-messages.ts';

/** Strapi 5. Every status but `published` asks for drafts, and a locale that does not exist finds nothing. */
export const versionOfVersion5: VersionPolicy = {
  publicationState: () => null,
  checkStatus: () => {},
  statusOfPlugins: null,
  drafts: 'draft',
  checkDrafts: () => {},
  publishedFlag: (value) =>
    ['true', 'false', true, false].includes(value as string) ? recordedCasts.flag(value) : null,
  readLocale: (_context, locale) => locale,
};

/** Strapi 4. */
export const versionOfVersion4: VersionPolicy = {
  ...versionOfVersion5,
  publicationState: (node) => readPublicationState(node, recordedMessages),
  drafts: null,
  readLocale: (_context, locale) => withoutAlias(locale),
};

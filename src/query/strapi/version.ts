import type { VersionPolicy } from '../policies.ts';
import { readPublicationState, withoutAlias } from '../shared-readers.ts';
import { strapiCasts } from './casts.ts';
import { strapiErrors } from './errors.ts';

/** Every status but `published` asks for drafts, and a locale that does not exist finds nothing. */
export const strapiVersion: VersionPolicy = {
  publicationState: () => null,
  checkStatus: () => {},
  statusOfPlugins: null,
  drafts: 'draft',
  checkDrafts: () => {},
  publishedFlag: (value) => (['true', 'false', true, false].includes(value as string) ? strapiCasts.flag(value) : null),
  readLocale: (_context, locale) => locale,
};

/** Strapi 4 reads `publicationState`, knows every locale as `all`, and shows drafts beside published rows. */
export const strapi4Version: VersionPolicy = {
  ...strapiVersion,
  publicationState: (node) => readPublicationState(node, strapiErrors),
  drafts: null,
  readLocale: (_context, locale) => withoutAlias(locale),
};

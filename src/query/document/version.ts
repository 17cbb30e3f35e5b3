import { ForbiddenError } from '../../base/errors.ts';
import { readPublicationState } from '../bind/bind-version.ts';
import type { BindingContext } from '../bind/context.ts';
import { everyLocale, type VersionPolicy } from '../policies.ts';
import { strictCasts } from './casts.ts';
import { explainedMessages as messages } from './explained-messages.ts';

const statuses = ['published', 'draft'];

/** A status and a locale must exist, and drafts take a permission of their own. */
export const strictVersion: VersionPolicy = {
  publicationState: () => null,
  checkStatus(status) {
    if (status !== undefined && !statuses.includes(status as string)) throw messages.choice('status', status, statuses);
  },
  statusOfPlugins: 'published',
  drafts: 'draft',
  checkDrafts(permissions) {
    if (!permissions.readsDrafts) throw new ForbiddenError('Reading drafts takes the permission "draft"');
  },
  publishedFlag: (value) => strictCasts.flag(value),
  readLocale(context, locale) {
    checkLocale(context, locale);
    return locale;
  },
};

/** Clients of content of Strapi 4 also ask for `publicationState`, and for every locale as `all`. */
export const strictVersionOfVersion4: VersionPolicy = {
  ...strictVersion,
  publicationState: (value) => readPublicationState(value, messages),
  drafts: null,
  readLocale: (context, locale) => strictVersion.readLocale(context, locale === 'all' ? '*' : locale),
};

const listLocales = 'plugin::i18n.locales.listLocales';

/** Throws for a locale that the content has nowhere. */
function checkLocale({ locales, permissions }: BindingContext, value: unknown): void {
  if (value === undefined || value === everyLocale) return;
  for (const code of Array.isArray(value) ? value : [value]) {
    if (code === null || code === '' || code === '*') continue;
    if (typeof code !== 'string') throw messages.text('locale', value);
    if (!locales.has(code)) throw messages.locale(code, permissions.allows(listLocales) ? [...locales] : null);
  }
}

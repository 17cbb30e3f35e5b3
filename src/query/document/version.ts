import { ForbiddenError } from '../../core/errors.ts';
import type { BindingContext } from '../bind/context.ts';
import { everyLocale, type LocaleNode, type VersionPolicy } from '../policies.ts';
import { readPublicationState, withoutAlias } from '../shared-readers.ts';
import { documentCasts } from './casts.ts';
import { documentErrors as errors } from './errors.ts';
import { unknownLocale } from './own-errors.ts';

const statuses = ['published', 'draft'];

/** A status and a locale must exist, and drafts take a permission of their own. */
export const documentVersion: VersionPolicy = {
  publicationState: () => null,
  checkStatus(status) {
    const { raw } = status;
    if (raw !== undefined && !statuses.includes(raw as string)) throw errors.unknownChoice(status, statuses);
  },
  statusOfPlugins: 'published',
  drafts: 'draft',
  checkDrafts(permissions) {
    if (!permissions.readsDrafts) throw new ForbiddenError('Reading drafts takes the permission "draft"');
  },
  publishedFlag: (value) => documentCasts.flag(value),
  readLocale(context, locale) {
    checkLocale(context, locale);
    return locale;
  },
};

/** Clients of content of Strapi 4 also ask for `publicationState`, and for every locale as `all`. */
export const document4Version: VersionPolicy = {
  ...documentVersion,
  publicationState: (node) => readPublicationState(node, errors),
  drafts: null,
  readLocale: (context, locale) => documentVersion.readLocale(context, withoutAlias(locale)),
};

const listLocales = 'plugin::i18n.locales.listLocales';

/** Throws for a locale that the content has nowhere. */
function checkLocale({ locales, permissions }: BindingContext, node: LocaleNode): void {
  if (node === everyLocale || node.kind === 'empty') return;
  for (const code of node.kind === 'list' ? node.raw : [node.raw]) {
    if (code === null || code === '' || code === '*') continue;
    if (typeof code !== 'string') throw errors.notText(node);
    if (!locales.has(code)) throw unknownLocale(code, permissions.allows(listLocales) ? [...locales] : null);
  }
}

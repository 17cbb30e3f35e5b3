import type { EntityLine } from './plugin-content.ts';
import { localeEntity, readLocales } from './plugin-content.ts';
import type { RestTypes } from './rest-types.ts';
import type { StrapiClient } from './strapi-client.ts';
import { StrapiError } from './strapi-error.ts';

export interface PulledLocales {
  /** The locales in which single types are asked for. */
  readonly codes: readonly string[];
  /** Null if the content shows no locale. */
  readonly defaultLocale: string | null;
  readonly entities: readonly EntityLine[];
  readonly warnings: readonly string[];
}

/** Reads the locales. A token that cannot list them finds those of localized single types and the default locale. */
export async function pullLocales(client: StrapiClient, types: RestTypes): Promise<PulledLocales> {
  const listed = await readLocales(client);
  if (listed !== null) {
    const codes = listed.map(({ code }) => code);
    const defaultLocale = listed.find(({ isDefault }) => isDefault === true)?.code ?? null;
    return { codes, defaultLocale, entities: listed.map(localeEntity), warnings: [] };
  }
  const localized = Array.from(types.readable.values()).filter(({ type }) => type.localized);
  const codes = new Set<string>();
  let defaultLocale: string | null = null;
  for (const { kind, path, permission } of localized) {
    const isSingle = kind === 'single';
    for (const status of ['published', 'draft']) {
      const page = isSingle ? { populate: { localizations: { fields: ['locale'] } } } : { pagination: { pageSize: 1 } };
      // without the parameter `locale`, replies are in the default locale
      const reply = await client
        .get(path, { status, fields: ['locale'], ...page }, permission)
        .catch((error: unknown) => {
          if (error instanceof StrapiError && error.isFromStrapi && error.status === 404) return {};
          throw error;
        });
      const { data } = (reply ?? {}) as { data?: unknown };
      const [row] = (Array.isArray(data) ? data : [data]) as {
        locale?: unknown;
        localizations?: { locale?: unknown }[];
      }[];
      if (typeof row?.locale !== 'string') continue;
      defaultLocale ??= row.locale;
      for (const { locale } of [row, ...(row.localizations ?? [])]) if (typeof locale === 'string') codes.add(locale);
    }
  }
  const warnings =
    localized.length === 0
      ? []
      : [
          'The locales cannot be listed: the token lacks the permission plugin::i18n.locales.listLocales. ' +
            `The default locale is taken to be "${defaultLocale ?? 'en'}", as in replies without a locale.`,
        ];
  return { codes: Array.from(codes), defaultLocale, entities: [], warnings };
}

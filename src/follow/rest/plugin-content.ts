/** Locales, roles and permissions, which have routes of their own kinds. */
import { isPlainObject } from '../../core/plain-object.ts';
import { localeType, permissionType, roleType } from '../../model/schema/schema.ts';
import type { LinkLine } from './link-tables.ts';
import type { RestTypes } from './rest-types.ts';
import type { StrapiClient } from './strapi-client.ts';
import { StrapiError } from './strapi-error.ts';

/** A line of the entities of an export. */
export interface EntityLine {
  readonly type: string;
  readonly id: number;
  readonly data: Record<string, unknown>;
}

export interface Locale extends Record<string, unknown> {
  readonly id: number;
  readonly code: string;
  readonly isDefault?: boolean;
}

/** Returns the locales of a Strapi by id, or null if the token cannot read them. */
async function readLocales(client: StrapiClient): Promise<readonly Locale[] | null> {
  const reply = await client.get('i18n/locales', {}, 'plugin::i18n.locales.listLocales').catch(whereUnreadable(null));
  const isLocale = (each: unknown): each is Locale =>
    isPlainObject(each) && typeof each.id === 'number' && typeof each.code === 'string';
  return Array.isArray(reply) && reply.every(isLocale) ? reply.sort(byId) : null;
}

/** Returns the entity of a locale. */
function localeEntity({ id, isDefault: _, ...values }: Locale): EntityLine {
  return { type: localeType, id, data: { ...values, locale: null } };
}

export interface Roles {
  /** Whether replies show what the roles may do. */
  readonly hasPermissions: boolean;
  readonly entities: readonly EntityLine[];
  readonly links: readonly LinkLine[];
}

/**
 * Returns the roles by id and their permissions by action, or null if the token cannot read them. A Strapi lists
 * permissions in another order after each start.
 */
export async function readRoles(client: StrapiClient): Promise<Roles | null> {
  const listed = await client
    .get('users-permissions/roles', {}, 'plugin::users-permissions.role.find')
    .catch(whereUnreadable(null));
  const { roles } = (listed ?? {}) as { roles?: unknown };
  if (!Array.isArray(roles)) return null;
  const entities: EntityLine[] = [];
  const links: LinkLine[] = [];
  let permissionId = 0;
  let hasPermissions = true;
  for (const { id } of (roles as { id: number }[]).sort(byId)) {
    const reply = await client
      .get(`users-permissions/roles/${id}`, {}, 'plugin::users-permissions.role.findOne')
      .catch(whereUnreadable(null));
    const { role } = (reply ?? {}) as { role?: unknown };
    if (!isPlainObject(role)) return null;
    hasPermissions &&= isPlainObject(role.permissions);
    const { id: _, permissions, nb_users: __, ...values } = role;
    entities.push({ type: roleType, id, data: { ...values, locale: null } });
    for (const action of actionsIn(permissions).sort()) {
      permissionId++;
      const documentId = `pulled-permission-${permissionId}`;
      entities.push({ type: permissionType, id: permissionId, data: { documentId, action, locale: null } });
      links.push({
        kind: 'relation.basic',
        relation: 'manyToOne',
        left: { type: permissionType, field: 'role', ref: permissionId },
        right: { type: roleType, field: 'permissions', ref: id },
      });
    }
  }
  return { hasPermissions, entities, links };
}

/** Returns the enabled actions in the permissions of a role, such as `api::article.article.find`. */
function actionsIn(permissions: unknown): string[] {
  return entriesOf(permissions).flatMap(([api, value]) =>
    entriesOf((value as { controllers?: unknown }).controllers).flatMap(([controller, actions]) =>
      entriesOf(actions)
        .filter(([, action]) => (action as { enabled?: unknown } | null)?.enabled === true)
        .map(([action]) => `${api}.${controller}.${action}`),
    ),
  );
}

function byId(one: { readonly id: number }, other: { readonly id: number }): number {
  return one.id - other.id;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isPlainObject(value) ? Object.entries(value) : [];
}

/** Returns a handler that replaces a 403 or 404 of Strapi, not of a proxy, by a value. */
function whereUnreadable<T>(value: T): (error: unknown) => T {
  return (error) => {
    const isUnreadable = error instanceof StrapiError && (error.status === 403 || error.status === 404);
    if (isUnreadable && error.isFromStrapi) return value;
    throw error;
  };
}

export interface PulledLocales {
  /** The locales in which single types are asked for. */
  readonly codes: readonly string[];
  /** Null if the content shows no locale. */
  readonly defaultLocale: string | null;
  readonly entities: readonly EntityLine[];
  readonly warnings: readonly string[];
}

/** Returns locales that could be listed. */
export function localesOf(locales: readonly Locale[], defaultLocale: string | null): PulledLocales {
  return { codes: locales.map(({ code }) => code), defaultLocale, entities: locales.map(localeEntity), warnings: [] };
}

/** Reads the locales. A token that cannot list them finds those of localized single types and the default locale. */
export async function pullLocales(client: StrapiClient, types: RestTypes): Promise<PulledLocales> {
  const listed = await readLocales(client);
  if (listed !== null) {
    const defaultLocale = listed.find(({ isDefault }) => isDefault === true)?.code ?? null;
    return localesOf(listed, defaultLocale);
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

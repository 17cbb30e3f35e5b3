import type { Schema } from '../model/schema.ts';
import type { RoleDefinition } from './definitions.ts';

/** What the role `public` may do besides, so that pictures and locales can be read with the content. */
const pluginActions = [
  'plugin::upload.content-api.find',
  'plugin::upload.content-api.findOne',
  'plugin::i18n.locales.listLocales',
];

/**
 * Returns the roles with one more definition of `public`, which may find every content type. Users, their roles and
 * drafts stay closed.
 */
export function withPublicAccess(roles: readonly RoleDefinition[], { types }: Schema): RoleDefinition[] {
  const contentTypes = Array.from(types.values()).filter(
    ({ kind, uid }) => kind !== 'component' && uid.startsWith('api::'),
  );
  const given = roles.findLast(({ type }) => type === 'public')?.permissions ?? [];
  const actions = contentTypes.flatMap(({ uid }) => [`${uid}.find`, `${uid}.findOne`]);
  return [...roles, { type: 'public', permissions: [...given, ...actions, ...pluginActions] }];
}

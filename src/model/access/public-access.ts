import type { Schema } from '../schema/schema.ts';

/** Actions on plugins, so that pictures and locales can be read with the content. */
const pluginActions = [
  'plugin::upload.content-api.find',
  'plugin::upload.content-api.findOne',
  'plugin::i18n.locales.listLocales',
];

/** Returns the actions that find every content type. Users, their roles and drafts stay closed. */
export function publicActions({ types }: Schema): string[] {
  const uids = Array.from(types.values())
    .filter(({ kind, uid }) => kind !== 'component' && uid.startsWith('api::'))
    .map(({ uid }) => uid);
  return [...uids.flatMap((uid) => [`${uid}.find`, `${uid}.findOne`]), ...pluginActions];
}

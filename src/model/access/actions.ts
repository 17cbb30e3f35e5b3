import { didYouMean } from '../../core/suggest.ts';
import type { Schema } from '../schema/schema.ts';
import { draftAction } from './permissions.ts';

const verbs = new Set(['find', 'findOne', 'create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft']);

/** The actions of plugins. Actions that write are listed because copied permissions contain them. */
const pluginVerbs: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    'plugin::upload.content-api': 'find findOne upload destroy',
    'plugin::i18n.locales': 'listLocales',
    'plugin::content-type-builder.content-types': 'getContentTypes getContentType',
    'plugin::content-type-builder.components': 'getComponents getComponent',
    'plugin::users-permissions.user': 'find findOne me count create update destroy',
    'plugin::users-permissions.role': 'find findOne createRole updateRole deleteRole',
  }).map(([controller, names]) => [controller, new Set(names.split(' '))]),
);

/**
 * Returns null for an action that exists. For any other, which would permit nothing, returns a function that describes
 * the mistake. It is slow, because its suggestion compares the name with all types.
 */
export function wrongAction(action: string, { types }: Schema): (() => string) | null {
  if (action === draftAction) return null;
  const parts = /^((?:api|plugin)::[^.]+\.[^.]+)\.([^.]+)$/.exec(action);
  if (!parts) return () => 'is neither "draft" nor an action such as api::article.article.find';
  const [, controller, verb] = parts;
  const isPlugin = controller.startsWith('plugin::');
  if (!isPlugin && !types.has(controller)) {
    const uids = () => Array.from(types.keys()).filter((uid) => uid.startsWith('api::'));
    return () => `names no content type${didYouMean(controller, uids())}`;
  }
  const known = isPlugin ? pluginVerbs.get(controller) : verbs;
  // the actions of other plugins are not known
  return !known || known.has(verb) ? null : () => `names no action of that type${didYouMean(verb, known)}`;
}

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

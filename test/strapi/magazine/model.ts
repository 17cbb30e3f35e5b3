/** The content model of a snapshot, as a Strapi project has it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attributes, componentType, contentType, type Model } from '../model/definitions.ts';

/** A file of content-types/ or components/. */
interface Definition {
  kind?: string;
  info: { singularName: string; pluralName: string };
  options?: { draftAndPublish?: boolean };
  pluginOptions?: { i18n?: { localized?: boolean } };
  attributes: Attributes;
}

const userExtension = 'extensions/users-permissions/strapi-server.js';

/** Strapi has the user type itself, and no lists: those of a snapshot are JSON there. */
export function modelOf(snapshot: string): Model {
  const types = read(join(snapshot, 'content-types'));
  const { user, ...own } = types;
  const model: Model = { contentTypes: Object.values(own).map(typeOf), components: [] };
  for (const category of readdirSync(join(snapshot, 'components'))) {
    for (const [name, { attributes }] of Object.entries(read(join(snapshot, 'components', category)))) {
      model.components.push(componentType(`${category}.${name}`, withoutLists(attributes)));
    }
  }
  if (user) model.sources = [{ path: userExtension, text: addingToUsers(withoutLists(user.attributes)) }];
  return model;
}

function typeOf({ kind, info, options, pluginOptions, attributes }: Definition) {
  const typeOptions = {
    plural: info.pluralName,
    single: kind === 'singleType',
    draftAndPublish: options?.draftAndPublish,
    localized: pluginOptions?.i18n?.localized,
  };
  return contentType(info.singularName, typeOptions, withoutLists(attributes));
}

function withoutLists(attributes: Attributes): Attributes {
  const entries = Object.entries(attributes).map(([name, attribute]) => {
    return [name, attribute.type === 'array' ? { ...attribute, type: 'json' } : attribute];
  });
  return Object.fromEntries(entries);
}

/** What Strapi runs to change the plugin that the user type belongs to. */
function addingToUsers(attributes: Attributes): string {
  return `module.exports = (plugin) => {
  Object.assign(plugin.contentTypes.user.schema.attributes, ${JSON.stringify(attributes, null, 2)});
  return plugin;
};
`;
}

/** The definitions of a folder by the name of their file. */
function read(folder: string): Record<string, Definition> {
  const entries = readdirSync(folder).map((file) => {
    return [file.replace(/\.json$/, ''), JSON.parse(readFileSync(join(folder, file), 'utf8'))];
  });
  return Object.fromEntries(entries);
}

/** The content types and components of a Strapi, in the form of an export's schemas. */
import { isPlainObject } from '../../core/plain-object.ts';
import { loadSnapshot } from '../../load/load.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { AttributeDefinition, TypeDefinition } from '../../model/schema/type-definition.ts';
import type { StrapiClient } from './strapi-client.ts';
import { StrapiError } from './strapi-error.ts';

/** A line of the schemas of an export. */
export type DefinitionLine = Record<string, unknown> & {
  readonly uid: string;
  readonly attributes: Readonly<Record<string, AttributeDefinition>>;
};

/** A content type or component as the content-type builder describes it. */
interface Described {
  readonly uid: string;
  readonly plugin?: string;
  readonly apiID?: string;
  readonly apiId?: string;
  readonly schema: Record<string, unknown> & { readonly attributes: Record<string, AttributeDefinition> };
}

const permissions = {
  contentTypes: 'plugin::content-type-builder.content-types.getContentTypes',
  components: 'plugin::content-type-builder.components.getComponents',
};

/** Reads the definitions from the content-type builder. Rejects with a StrapiError that has the status 403 or 404. */
export async function readDefinitions(client: StrapiClient): Promise<DefinitionLine[]> {
  const { contentTypes, components } = permissions;
  const [types, parts] = await Promise.all([
    client.get('content-type-builder/content-types', {}, contentTypes),
    client.get('content-type-builder/components', {}, components),
  ]);
  return [...described(types).map(toContentType), ...described(parts).map(toComponent)];
}

/** Returns the definitions in a snapshot: an export, a project's folder or an image. Rejects with a SnapshotError. */
export async function readSnapshotDefinitions(path: string): Promise<DefinitionLine[]> {
  return definitionsOf((await loadSnapshot(path)).types);
}

/** Returns the definitions of a loaded snapshot. */
export function definitionsOf(types: LoadedSnapshot['types']): DefinitionLine[] {
  // definitions that were read from files have a location too
  return (types as TypeDefinition[]).map(({ location: _, component, ...definition }) => ({
    ...definition,
    modelType: component ? 'component' : 'contentType',
  }));
}

function described(reply: unknown): Described[] {
  const { data } = (reply ?? {}) as { data?: unknown };
  const isDescribed = (each: unknown): each is Described =>
    isPlainObject(each) &&
    typeof each.uid === 'string' &&
    isPlainObject(each.schema) &&
    isPlainObject(each.schema.attributes);
  if (Array.isArray(data) && data.every(isDescribed)) return data;
  throw new StrapiError('The content-type builder answers with something other than content types.', 200);
}

function toContentType({ uid, plugin, apiID, schema }: Described): DefinitionLine {
  const { collectionName, singularName, pluralName, displayName, description, pluginOptions, kind, ...rest } = schema;
  const { attributes, visible: _, restrictRelationsTo: __, ...options } = rest;
  const isLocalized = (pluginOptions as { i18n?: { localized?: unknown } } | undefined)?.i18n?.localized === true;
  return {
    collectionName,
    info: { singularName, pluralName, displayName, description },
    options,
    pluginOptions: pluginOptions ?? {},
    attributes: { ...withoutDetails(attributes), ...systemAttributes(uid, isLocalized) },
    kind,
    modelType: 'contentType',
    modelName: apiID,
    uid,
    ...(plugin !== undefined && { plugin }),
  };
}

function toComponent({ uid, apiId, schema }: Described): DefinitionLine {
  const { collectionName, displayName, description, icon, attributes } = schema;
  return {
    collectionName,
    info: { displayName, description, ...(icon !== undefined && { icon }) },
    options: {},
    attributes: withoutDetails(attributes),
    modelType: 'component',
    modelName: apiId,
    uid,
  };
}

/** Removes the key that only the content-type builder has. */
function withoutDetails(attributes: Described['schema']['attributes']): DefinitionLine['attributes'] {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { targetAttribute: _, ...attribute }]) => [name, attribute]),
  );
}

/** The attributes that Strapi adds to each content type, which the content-type builder leaves out. */
function systemAttributes(uid: string, isLocalized: boolean): DefinitionLine['attributes'] {
  const hidden = { configurable: false, writable: false, visible: false };
  const creator = {
    type: 'relation',
    relation: 'oneToOne',
    target: 'admin::user',
    ...hidden,
    useJoinTable: false,
    private: true,
  };
  const isPrivate = !isLocalized;
  return {
    createdAt: { type: 'datetime' },
    updatedAt: { type: 'datetime' },
    publishedAt: { type: 'datetime', configurable: false, writable: true, visible: true },
    createdBy: creator,
    updatedBy: creator,
    locale: { writable: true, private: isPrivate, configurable: false, visible: false, type: 'string' },
    localizations: { type: 'relation', relation: 'oneToMany', target: uid, ...hidden, private: isPrivate },
  };
}

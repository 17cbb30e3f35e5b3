/** The content model as Strapi's content-type builder describes it to clients that read it before the content. */
import type { AttributeDefinition, TypeDefinition } from './read-schema.ts';
import { administratorType, fileType } from './schema.ts';

/** A content type or component as the snapshot writes it. */
export type WrittenType = Omit<TypeDefinition, 'place'> & {
  readonly modelName?: string;
  readonly plugin?: string;
  readonly collectionName?: string;
  readonly info?: { readonly displayName?: string; readonly description?: string; readonly icon?: string };
  readonly pluginOptions?: { readonly 'content-type-builder'?: { readonly visible?: boolean } };
};

/** The attributes that every type has. They are not described. */
const generatedAttributes: ReadonlySet<string> = new Set(['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt']);

/** Describes a content type, its private attributes and passwords included: by name and type, without any value. */
export function describeContentType(type: WrittenType): object {
  const { uid, info = {}, options, pluginOptions, collectionName } = type;
  const singularName = info.singularName ?? modelNameOf(type);
  return {
    uid,
    plugin: pluginOf(type),
    apiID: modelNameOf(type),
    schema: {
      draftAndPublish: false,
      ...options,
      displayName: info.displayName ?? singularName,
      singularName,
      pluralName: info.pluralName ?? `${singularName}s`,
      description: info.description ?? '',
      pluginOptions,
      kind: kindOf(type),
      collectionName,
      attributes: describeAttributes(type),
      visible: isVisible(type),
      restrictRelationsTo: relationsTo(type),
    },
  };
}

export function describeComponent(type: WrittenType): object {
  const { uid, info = {}, collectionName, pluginOptions } = type;
  return {
    uid,
    category: uid.slice(0, uid.indexOf('.')),
    apiId: modelNameOf(type),
    schema: {
      displayName: info.displayName ?? modelNameOf(type),
      description: info.description ?? '',
      icon: info.icon,
      collectionName,
      pluginOptions,
      attributes: describeAttributes(type),
    },
  };
}

export function kindOf({ kind }: WrittenType): string {
  return kind ?? 'collectionType';
}

/** Whether the content-type builder shows the type. Those of plugins are mostly hidden there. */
export function isVisible({ pluginOptions }: WrittenType): boolean {
  return (pluginOptions?.['content-type-builder']?.visible ?? true) === true;
}

function modelNameOf({ uid, modelName }: WrittenType): string {
  return modelName ?? uid.slice(uid.lastIndexOf('.') + 1);
}

/** Exports name the plugin of a type. In JSON snapshots the uid does. */
function pluginOf({ uid, plugin }: WrittenType): string | undefined {
  return plugin ?? /^plugin::([^.]+)\./.exec(uid)?.[1];
}

/** The relations that may lead to a type; null for all. */
function relationsTo(type: WrittenType): string[] | null {
  const { uid } = type;
  if (uid === administratorType) return ['oneWay', 'manyWay'];
  return uid.startsWith('strapi::') || uid === fileType || !isVisible(type) ? [] : null;
}

function describeAttributes({ attributes }: WrittenType): Record<string, unknown> {
  const shown = Object.entries(attributes).filter(
    ([name, attribute]) => !generatedAttributes.has(name) && attribute?.visible !== false,
  );
  return Object.fromEntries(shown.map(([name, attribute]) => [name, describeAttribute(attribute)]));
}

function describeAttribute(attribute: AttributeDefinition): unknown {
  const common = {
    required: !!attribute?.required,
    configurable: attribute?.configurable === false ? false : undefined,
    private: !!attribute?.private,
    pluginOptions: attribute?.pluginOptions,
  };
  if (attribute?.type === 'media') {
    const { multiple, allowedTypes } = attribute;
    return { type: 'media', multiple: !!multiple, ...common, allowedTypes };
  }
  if (attribute?.type !== 'relation') return attribute;
  return { ...attribute, targetAttribute: attribute.inversedBy || attribute.mappedBy || null, ...common };
}

import { administratorType, fileType } from '../../model/schema/schema.ts';
import { type AttributeDefinition, type SnapshotType, timestampNames } from '../../model/schema/type-definition.ts';

/** Asks for all content types or all components, or for the one with a uid. */
export interface SchemaRequest {
  readonly describes: 'content-types' | 'components';
  readonly uid?: string;
  /** The parameter `kind`, as it was parsed. */
  readonly kind?: unknown;
}

interface SchemaReply {
  readonly status: 200 | 400 | 404;
  readonly body: Buffer;
}

const kinds = ['singleType', 'collectionType'];

/** Answers the read routes of the content-type builder, with types in the order of the snapshot. */
export class SchemaReplies {
  readonly #types: readonly SnapshotType[];

  constructor(types: readonly SnapshotType[]) {
    this.#types = types;
  }

  answer({ describes, uid, kind }: SchemaRequest): SchemaReply {
    return describes === 'components' ? this.#components(uid) : this.#contentTypes(uid, kind);
  }

  #components(uid: string | undefined): SchemaReply {
    const components = this.#types.filter(({ component }) => component);
    if (uid === undefined) return found(components.map(describeComponent));
    const component = components.find((type) => type.uid === uid);
    return component ? found(describeComponent(component)) : failed(404, 'component.notFound');
  }

  #contentTypes(uid: string | undefined, kind: unknown): SchemaReply {
    const types = this.#types.filter(({ component }) => !component);
    if (uid !== undefined) {
      const type = types.find((each) => each.uid === uid);
      return type && isVisible(type) ? found(describeContentType(type)) : failed(404, 'contentType.notFound');
    }
    if (kind !== undefined && !kinds.includes(kind as string)) return failed(400, wrongKind(kind));
    return found(types.filter((type) => kind === undefined || kindOf(type) === kind).map(describeContentType));
  }
}

function found(data: object): SchemaReply {
  return { status: 200, body: Buffer.from(JSON.stringify({ data })) };
}

/** These routes have their own error format. */
function failed(status: 400 | 404, error: unknown): SchemaReply {
  return { status, body: Buffer.from(JSON.stringify({ error })) };
}

function wrongKind(value: unknown): object {
  const name = 'ValidationError';
  const message = `this must be one of the following values: ${kinds.join(', ')}`;
  return { name, message, details: { errors: [{ path: [], message, name, value }] } };
}

/** Attributes that every type has. The description omits them. */
const generatedAttributes: ReadonlySet<string> = new Set(['id', 'documentId', ...timestampNames]);

/** Describes a content type, including its private attributes and passwords. The description holds no values. */
function describeContentType(type: SnapshotType): object {
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
      restrictRelationsTo: allowedRelationsTo(type),
    },
  };
}

function describeComponent(type: SnapshotType): object {
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

function kindOf({ kind }: SnapshotType): string {
  return kind ?? 'collectionType';
}

/** Returns whether the content-type builder shows the type. Most types of plugins are hidden. */
function isVisible({ pluginOptions }: SnapshotType): boolean {
  return (pluginOptions?.['content-type-builder']?.visible ?? true) === true;
}

function modelNameOf({ uid, modelName }: SnapshotType): string {
  return modelName ?? uid.slice(uid.lastIndexOf('.') + 1);
}

/** Returns the plugin of a type. Exports name it explicitly. JSON snapshots have it only in the uid. */
function pluginOf({ uid, plugin }: SnapshotType): string | undefined {
  return plugin ?? /^plugin::([^.]+)\./.exec(uid)?.[1];
}

/** Returns the kinds of relations that may target a type, or null if all may. */
function allowedRelationsTo(type: SnapshotType): string[] | null {
  const { uid } = type;
  if (uid === administratorType) return ['oneWay', 'manyWay'];
  return uid.startsWith('strapi::') || uid === fileType || !isVisible(type) ? [] : null;
}

function describeAttributes({ attributes }: SnapshotType): Record<string, unknown> {
  const visible = Object.entries(attributes).filter(
    ([name, attribute]) => !generatedAttributes.has(name) && attribute?.visible !== false,
  );
  return Object.fromEntries(visible.map(([name, attribute]) => [name, describeAttribute(attribute)]));
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

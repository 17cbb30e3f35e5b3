/** How a content model is written down: one line an attribute, in the form of Strapi's `schema.json`. */

export type AttributeDefinition = { type: string } & Record<string, unknown>;
export type Attributes = Record<string, AttributeDefinition>;

export interface TypeOptions {
  plural: string;
  single?: boolean;
  draftAndPublish?: boolean;
  localized?: boolean;
  privateAttributes?: string[];
}

/** A file below the Strapi project's `src`, and what it holds. */
export interface SchemaFile {
  path: string;
  schema: object;
}

/** What a Strapi project is made of beside its configuration. */
export interface Model {
  contentTypes: SchemaFile[];
  components: SchemaFile[];
  /** More files below `src`, as they are to be written. */
  sources?: { path: string; text: string }[];
}

export const plain = (type: string, options: object = {}): AttributeDefinition => ({ type, ...options });

/** An attribute that has a value of its own in each locale; the others have one for all. */
export const localized = (attribute: AttributeDefinition): AttributeDefinition => ({
  ...attribute,
  pluginOptions: { i18n: { localized: true } },
});

/** `other` is `inversedBy` on the owning side and `mappedBy` on the derived one. */
export const relation = (kind: string, name: string, other: object = {}): AttributeDefinition => ({
  type: 'relation',
  relation: kind,
  target: uidOf(name),
  ...other,
});

export const morph = (kind: 'morphToOne' | 'morphToMany'): AttributeDefinition => ({
  type: 'relation',
  relation: kind,
});

export const media = (multiple: boolean): AttributeDefinition => ({ type: 'media', multiple });

export const component = (name: string, repeatable = false): AttributeDefinition => ({
  type: 'component',
  component: name,
  repeatable,
});

export const zone = (...components: string[]): AttributeDefinition => ({ type: 'dynamiczone', components });

/** `tag` is short for `api::tag.tag`. */
export const uidOf = (name: string): string => (name.includes('::') ? name : `api::${name}.${name}`);

export function contentType(name: string, options: TypeOptions, attributes: Attributes): SchemaFile {
  const { plural, single = false, draftAndPublish = false, localized = false, privateAttributes } = options;
  return {
    path: `api/${name}/content-types/${name}/schema.json`,
    schema: {
      kind: single ? 'singleType' : 'collectionType',
      collectionName: plural.replaceAll('-', '_'),
      info: { singularName: name, pluralName: plural, displayName: name },
      options: { draftAndPublish, ...(privateAttributes && { privateAttributes }) },
      pluginOptions: localized ? { i18n: { localized: true } } : {},
      attributes,
    },
  };
}

export function componentType(uid: string, attributes: Attributes): SchemaFile {
  const [category, name] = uid.split('.');
  return {
    path: `components/${category}/${name}.json`,
    schema: {
      collectionName: `components_${category}_${name}s`.replaceAll('-', '_'),
      info: { displayName: name },
      options: {},
      attributes,
    },
  };
}

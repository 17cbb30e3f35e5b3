import { type Attribute, type EntryType, isScalar, type ScalarType } from '../../model/schema/schema.ts';

/** The types of attributes by whose values entries are found with `$eq`. Their values have tags. */
const namedTypes: ReadonlySet<ScalarType> = new Set(['string', 'email', 'uid', 'enumeration', 'boolean', 'integer']);

/**
 * How the values of an attribute are named in tags: the tag of a value of an `identifier`, which few entries share, is
 * stale after every change of an entry with the value, and there are no tags of its other values. Null: they have no
 * tags.
 */
export function valueTagsOf(attribute: Attribute | undefined): 'identifier' | 'value' | null {
  if (!attribute || !isScalar(attribute) || attribute.private || !namedTypes.has(attribute.type)) return null;
  const { name, type } = attribute;
  if (name === 'id' || name === 'documentId' || type === 'uid') return 'identifier';
  return name === 'locale' ? null : 'value';
}

/** Returns the attributes of a type whose values have tags. Queries find components only through links. */
export function attributesWithValueTags({ kind, attributes }: EntryType): Attribute[] {
  return kind === 'component' ? [] : [...attributes.values()].filter((attribute) => valueTagsOf(attribute) !== null);
}

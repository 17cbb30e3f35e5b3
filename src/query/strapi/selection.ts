/** How Strapi reads `fields`, and which columns its SQL adds and loses. */
import { isLocalizations, isPolymorphic, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import { leadsThroughRelation, matchNothing } from '../bound.ts';
import type { SelectedRows, SelectionPolicy } from '../policies.ts';
import { readFieldNames } from '../shared-readers.ts';

/**
 * Null among the items is ignored. An item of a list holds no commas, and a star has no blanks around it. Beside
 * fields, a polymorphic relation to one entry is null, and one that is seen from its other side finds nothing: their
 * columns are not read.
 */
export const strapiSelection: SelectionPolicy = {
  reportsPrivateLast: true,
  readFields({ items, isList }) {
    const texts = items.filter((item) => item !== null);
    if (!texts.every((item) => typeof item === 'string')) return null;
    const parts = texts.flatMap((item) => item.split(','));
    const names = parts.filter((name) => name !== '*').map((name) => name.trim());
    return { names, hasStar: names.length < parts.length, isMalformed: isList && parts.length > texts.length };
  },
  // Strapi wraps a sort through a relation in an outer query, which does not select the sort columns
  fieldsAddedBySort(rows) {
    const { sort } = rows;
    return joinsTables(rows) && sort.every(({ path }) => path.length === 1) ? sort.map(({ path }) => path[0]) : [];
  },
  populatedBesideFields(type, populate) {
    return populate.map((populated) => {
      const attribute = type.attributes.get(populated.attribute)!;
      const isLost = isPolymorphic(attribute) && attribute.kind === 'polymorphic' && !attribute.many;
      return isLost ? { ...populated, targets: {} } : populated;
    });
  },
  filterBesideFields: ({ schema, attribute, filter }) =>
    attribute && isForeignKey(schema, attribute) ? matchNothing : filter,
};

/** Strapi 4 reads commas and blanks everywhere, and serves every relation beside fields. */
export const strapi4Selection: SelectionPolicy = {
  ...strapiSelection,
  readFields: ({ items }) => readFieldNames(items.filter((item) => item !== null)),
  populatedBesideFields: (_type, populate) => populate,
  filterBesideFields: ({ filter }) => filter,
};

/** Returns whether Strapi's SQL joins other tables to the rows. */
function joinsTables({ schema, attribute, filter }: SelectedRows): boolean {
  if (attribute && !isLocalizations(attribute)) return !isForeignKey(schema, attribute);
  return filter !== null && leadsThroughRelation(filter);
}

/**
 * Returns whether the attribute is the inverse of a polymorphic relation to one entry. Its rows hold a foreign key, so
 * Strapi joins no table to find them.
 */
function isForeignKey(schema: Schema, attribute: LinkAttribute): boolean {
  if (isPolymorphic(attribute) || !attribute.fromPolymorphic || attribute.inverse === null) return false;
  const owner = schema.type(attribute.target).attributes.get(attribute.inverse);
  return owner?.kind === 'polymorphic' && !owner.many;
}

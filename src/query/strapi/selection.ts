/** How the recorded services read `fields`, and what their SQL adds to them and loses. */
import { isPolymorphic } from '../../model/schema.ts';
import { matchNothing } from '../bound.ts';
import { strictSelection } from '../document/selection.ts';
import type { SelectionPolicy } from '../policies.ts';

/** Strapi 4. Null among the items is ignored. */
export const selectionOfVersion4: SelectionPolicy = {
  reportsPrivateLast: true,
  readFields: (node) => strictSelection.readFields({ ...node, items: node.items.filter((item) => item !== null) }),
  // a sort through a relation is a query around the one that is sorted, and takes its columns out again
  fieldsOfSort: (sort) => (sort.every(({ path }) => path.length === 1) ? sort.map(({ path }) => path[0]) : []),
  besideFields: (_type, populate) => populate,
  filterOfChosen: (filter) => filter,
};

/**
 * Strapi 5. An item of a list holds no commas, and a star has no blanks around it. Beside fields, a polymorphic
 * relation to one entry is null, and one that is seen from its other side finds nothing: their columns are not read.
 */
export const selectionOfVersion5: SelectionPolicy = {
  ...selectionOfVersion4,
  readFields({ items, isList }) {
    const texts = items.filter((item) => item !== null);
    if (!texts.every((item) => typeof item === 'string')) return null;
    const written = texts.flatMap((item) => item.split(','));
    const names = written.filter((name) => name !== '*').map((name) => name.trim());
    return { names, hasStar: names.length < written.length, isMalformed: isList && written.length > texts.length };
  },
  besideFields(type, populate) {
    return populate.map((populated) => {
      const attribute = type.attributes.get(populated.attribute)!;
      const isLost = isPolymorphic(attribute) && attribute.kind === 'polymorphic' && !attribute.many;
      return isLost ? { ...populated, targets: {} } : populated;
    });
  },
  filterOfChosen: () => matchNothing,
};

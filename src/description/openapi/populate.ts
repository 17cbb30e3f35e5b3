/** The parameter `populate`: which links of an entry a reply holds, and what of them. */
import type { AttributeDescription, TypeDescription } from '../describe-schema.ts';
import { type DocumentContext, linksOf } from './document-context.ts';
import { filtersOf } from './filters.ts';
import { anyOf, closedObject, commaList, type JsonSchema, listOf, oneOfNames, wholeText } from './json-schema.ts';
import { fieldsOf, sortOf } from './names.ts';
import { flagSchema } from './values.ts';

const star = { type: 'string', const: '*' };

/** Returns the schema of `populate`: `*`, paths, or an object with options for each link. */
export function populateOf(context: DocumentContext, type: TypeDescription): JsonSchema {
  return context.components.ofType(type.uid, 'Populate', () => {
    const links = linksOf(type);
    const path = `${oneOfNames(links.map(({ name }) => name))}(?:\\.[^,.]+)*`;
    const paths = { type: 'string', description: 'Paths between commas.', pattern: commaList(path) };
    const one = { type: 'string', pattern: wholeText(`\\s*(?:\\*|${path})\\s*`) };
    const options = links.map((link) => [link.name, optionsOf(context, link)] as const);
    return anyOf(star, paths, listOf(one), closedObject(Object.fromEntries(options)));
  });
}

function optionsOf(context: DocumentContext, link: AttributeDescription): JsonSchema {
  switch (link.type) {
    case 'dynamiczone':
      return severalOptions(context, link.targets);
    case 'polymorphic':
      return context.components.shared('PopulateAny', () => {
        const types = context.schema.types.filter(({ kind }) => kind !== 'component');
        return severalOptions(
          context,
          types.map(({ uid }) => uid),
        );
      });
    default:
      return relatedOptions(context, context.type(link.targets[0]));
  }
}

/** Options of a link that leads to one type. */
function relatedOptions(context: DocumentContext, type: TypeDescription): JsonSchema {
  const { components, schema } = context;
  return components.ofType(type.uid, 'PopulateOptions', () => {
    const flag = switchOf(context);
    const options = closedObject({ ...queryOptions(context, type), count: flag });
    return anyOf(flag, ...(schema.dialect === 'document' ? [star] : []), options);
  });
}

/** Options of a link that leads to several types: `on` gives each its own. */
function severalOptions(context: DocumentContext, uids: readonly string[]): JsonSchema {
  const flag = switchOf(context);
  const fragments = [...uids].sort().map((uid) => [uid, fragmentOf(context, context.type(uid))] as const);
  const options = closedObject({
    populate: star,
    count: flag,
    on: closedObject(Object.fromEntries(fragments)),
  });
  return anyOf(flag, ...(context.schema.dialect === 'document' ? [star] : []), options);
}

function fragmentOf(context: DocumentContext, type: TypeDescription): JsonSchema {
  return context.components.ofType(type.uid, 'Fragment', () => {
    return anyOf(switchOf(context), star, closedObject(queryOptions(context, type)));
  });
}

function queryOptions(context: DocumentContext, type: TypeDescription): Record<string, JsonSchema> {
  return {
    fields: fieldsOf(context, type),
    filters: filtersOf(context, type),
    sort: sortOf(context, type),
    populate: populateOf(context, type),
  };
}

/** True or false, without other words in either dialect. */
function switchOf({ components }: DocumentContext): JsonSchema {
  return components.shared('Switch', () => flagSchema('document'));
}

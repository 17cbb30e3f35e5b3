/** Entries as replies hold them. */

import { attributesInOrder, isLink } from '../attributes.ts';
import type { AttributeDescription, TypeDescription } from '../describe-schema.ts';
import type { DocumentContext } from './document-context.ts';
import { anyOf, type JsonSchema, listOf, nothing } from './json-schema.ts';
import { replyValue } from './values.ts';

/**
 * Returns the schema of an entry. With `fields` a reply holds some of its scalars only, so that no more than the ids are
 * required. Links are there if `populate` asks for them.
 */
export function entryOf(context: DocumentContext, type: TypeDescription): JsonSchema {
  return context.components.ofEntries(type.uid, () => {
    const properties = attributesInOrder(type).map(
      (attribute) => [attribute.name, memberOf(context, attribute)] as const,
    );
    const required = type.kind === 'component' ? ['id'] : ['id', 'documentId'];
    const names = new Set(type.attributes.map(({ name }) => name));
    return {
      type: 'object',
      description: describe(type),
      required: required.filter((name) => names.has(name)),
      properties: { ...nullLocale(context, type), ...Object.fromEntries(properties) },
    };
  });
}

/** As Strapi, the dialect `strapi` shows a locale of null in some relations to types without locales. */
function nullLocale({ schema }: DocumentContext, { kind }: TypeDescription): Record<string, JsonSchema> {
  return schema.dialect === 'strapi' && kind !== 'component' ? { locale: nothing } : {};
}

/** Returns a sentence about a type, in one line. */
export function describe({ displayName, description, uid }: TypeDescription): string {
  return [`${displayName} (${uid})`, description]
    .filter((part) => part !== '')
    .join('. ')
    .replace(/\s+/g, ' ')
    .trim();
}

function memberOf(context: DocumentContext, attribute: AttributeDescription): JsonSchema {
  if (!isLink(attribute)) return replyValue(attribute, context.components);
  const forms = [
    ...formsOf(context, attribute),
    ...(attribute.isCounted ? [countOf(context)] : []),
    ...(context.isNested && attribute.many ? [nothing] : []),
  ];
  return { ...anyOf(...forms), description: presenceOf(attribute) };
}

const presence = 'Only if `populate` asks for it.';

function presenceOf({ isCounted }: AttributeDescription): string {
  return isCounted ? `${presence} With \`count\`, the number of entries.` : presence;
}

/** The forms of a populated link, except the number of its entries. */
function formsOf(context: DocumentContext, { type, many, targets }: AttributeDescription): JsonSchema[] {
  switch (type) {
    case 'dynamiczone':
      return [listOf(oneOfSeveral(context, targets, '__component')), nothing];
    case 'polymorphic': {
      const any = context.components.shared('AnyEntry', () => {
        const types = context.schema.types.filter(({ kind }) => kind !== 'component');
        return oneOfSeveral(
          context,
          types.map(({ uid }) => uid),
          '__type',
        );
      });
      return many ? [listOf(any)] : [any, nothing];
    }
    default: {
      const entry = entryOf(context, context.type(targets[0]));
      if (!many) return [entry, nothing];
      const isWrapped = type === 'relation' && context.schema.dialect === 'document';
      return [listOf(entry), ...(isWrapped ? [filteredList(entry)] : [])];
    }
  }
}

function filteredList(entry: JsonSchema): JsonSchema {
  return {
    type: 'object',
    description: 'The form of a relation that is populated with `filters`.',
    required: ['data'],
    properties: { data: listOf(entry) },
  };
}

/** Entries of several types. Each has the uid of its type as the value of `mark`. */
function oneOfSeveral(context: DocumentContext, uids: readonly string[], mark: string): JsonSchema {
  const marked = [...uids].sort().map((uid) => ({
    allOf: [
      entryOf(context, context.type(uid)),
      { type: 'object', required: [mark], properties: { [mark]: { type: 'string', const: uid } } },
    ],
  }));
  return marked.length === 0 ? { type: 'object' } : anyOf(...marked);
}

function countOf({ components }: DocumentContext): JsonSchema {
  return components.shared('Count', () => ({
    type: 'object',
    required: ['count'],
    properties: { count: { type: 'integer' } },
  }));
}

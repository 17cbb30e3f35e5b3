/** The parameters `fields` and `sort`, which name attributes. */
import type { TypeDescription } from '../describe-schema.ts';
import { type DocumentContext, pathsOf, scalarsOf } from './document-context.ts';
import { anyOf, closedObject, commaList, type JsonSchema, listOf, oneOfNames, wholeText } from './json-schema.ts';

/** Returns the schema of the attributes that replies hold. */
export function fieldsOf({ components }: DocumentContext, type: TypeDescription): JsonSchema {
  return components.ofType(type.uid, 'Fields', () => {
    const names = scalarsOf(type).map(({ name }) => name);
    const name = components.ofType(type.uid, 'Field', () => ({ type: 'string', enum: [...names, '*'] }));
    const several = {
      type: 'string',
      description: 'Names between commas.',
      pattern: commaList(oneOfNames([...names, '*'])),
    };
    return anyOf(name, listOf(name), several);
  });
}

/** In upper or lower case. */
const direction = '(?:[aA][sS][cC]|[dD][eE][sS][cC])';

/** Returns the schema of an order: `title`, `title:desc`, `author.name`, an object, or a list of them. */
export function sortOf(context: DocumentContext, type: TypeDescription): JsonSchema {
  return context.components.ofType(type.uid, 'Sort', () => {
    const scalars = oneOfNames(scalarsOf(type).map(({ name }) => name));
    const paths = oneOfNames(pathsOf(type).map(({ name }) => name));
    const key = `(?:${scalars}|${paths}(?:\\.[^,.:]+)+)(?:\\s*:\\s*${direction})?`;
    const text = { type: 'string', description: 'Keys between commas.', pattern: commaList(key) };
    const one = { type: 'string', pattern: wholeText(`\\s*${key}\\s*`) };
    const tree = sortTree(context, type);
    return anyOf(text, tree, listOf(one), listOf(tree));
  });
}

function sortTree(context: DocumentContext, type: TypeDescription): JsonSchema {
  return context.components.ofType(type.uid, 'SortTree', () => {
    const order = context.components.shared('SortOrder', () => ({
      type: 'string',
      description: '`asc` or `desc`.',
      pattern: wholeText(direction),
    }));
    const scalars = scalarsOf(type).map(({ name }) => [name, order] as const);
    const paths = pathsOf(type).map(
      ({ name, targets }) => [name, sortTree(context, context.type(targets[0]))] as const,
    );
    return closedObject(Object.fromEntries([...scalars, ...paths]));
  });
}

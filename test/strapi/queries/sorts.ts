import { isPolymorphic, type Type } from './content.ts';
import { openLinks, openScalars, type Query, type QueryContext } from './query-context.ts';

/**
 * A sort with one to three keys. Most end on the id, so that the order says all; where they do not, the tie's order
 * is the server's.
 */
export function randomSort(context: QueryContext, type: Type): unknown {
  const { random } = context;
  const keys = random.many(1, 3, () => [
    randomPath(context, type, 2),
    random.pick(['', '', 'asc', 'desc', 'desc', 'DESC']),
  ]);
  if (random.chance(70)) keys.push(['id', random.pick(['', 'asc', 'desc'])]);
  const texts = keys.map(([path, order]) => (order === '' ? path : `${path}:${order}`));
  switch (random.integer(1, 5)) {
    case 1:
      return texts.join(',');
    case 2:
      return texts.length === 1 ? texts[0] : texts;
    case 3:
      return keys.map(([path, order]) => nested(path.split('.'), order || 'asc'));
    case 4:
      return merged(keys.map(([path, order]) => [path, order || 'asc']));
    default:
      return texts;
  }
}

/**
 * An own attribute, or one that relations and components lead to, `depth` of them at most. Types with drafts may be
 * sorted by a `status` that is no attribute.
 */
function randomPath(context: QueryContext, type: Type, depth: number): string {
  const { random, content } = context;
  if (depth === 2 && type.options?.draftAndPublish && random.chance(4)) return 'status';
  const links = openLinks(type).filter(([, attribute]) => !isPolymorphic(attribute));
  if (depth === 0 || links.length === 0 || random.chance(depth === 2 ? 75 : 60)) {
    const scalars = openScalars(type).filter(([, { type: kind }]) => kind !== 'json' && kind !== 'blocks');
    return random.pick(scalars)[0];
  }
  const [name, attribute] = random.pick(links);
  return `${name}.${randomPath(context, content.target(attribute), depth - 1)}`;
}

function nested([name, ...rest]: string[], order: string): Query {
  return { [name]: rest.length === 0 ? order : nested(rest, order) };
}

/** One object for all keys: what a path says of a name replaces what an earlier one said. */
function merged(keys: string[][]): Query {
  return Object.assign({}, ...keys.map(([path, order]) => nested(path.split('.'), order)));
}

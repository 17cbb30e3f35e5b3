import { attributeOf, isMany, type Type } from '../naive/types.ts';
import { isOrdered } from '../naive/values.ts';
import type { Query } from './filters.ts';
import type { QueryContext } from './query-context.ts';

/** The `sort` parameter of a type, in one of its shapes; undefined if nothing can be sorted by. */
export function randomSort(context: QueryContext, type: Type): unknown {
  const { random } = context;
  const keys = randomKeys(context, type);
  const written = keys.map((path) => {
    const order = random.pick(['', '', ':asc', ':desc', ':desc', ':ASC', ':DESC']);
    return path.join('.') + order;
  });
  const order = () => random.pick(['asc', 'desc', 'DESC']);
  switch (random.integer(1, 5)) {
    case 1:
      return written[0];
    case 2:
      return written.join(',');
    case 3:
      return nested(keys, order);
    case 4:
      return keys.map((path) => nested([path], order));
    default:
      return written;
  }
}

/** One to three paths, no relation visited twice. */
function randomKeys(context: QueryContext, type: Type): string[][] {
  const keys: string[][] = [];
  for (let i = context.random.integer(1, 3); i > 0; i--) {
    const path = randomPath(context, type, 2);
    if (!keys.some(([head]) => head === path[0])) keys.push(path);
  }
  return keys;
}

function randomPath(context: QueryContext, type: Type, depth: number): string[] {
  const { random } = context;
  const visitable = context.visitableNames(type).filter((name) => type.attributes[name]!.type !== 'media');
  if (depth > 0 && visitable.length > 0 && random.chance(30)) {
    const name = random.pick(visitable);
    return [name, ...randomPath(context, context.targetOf(type.attributes[name]!), depth - 1)];
  }
  return [random.pick(context.scalarNames(type).filter((name) => isOrdered(attributeOf(type, name)!)))];
}

function nested(keys: string[][], order: () => string): Query {
  const sort: Query = {};
  for (const path of keys) {
    let place = sort;
    for (const step of path.slice(0, -1)) place = (place[step] = {}) as Query;
    place[path.at(-1)!] = order();
  }
  return sort;
}

/** Whether a populated attribute is a list of entries or components of one type. */
export function isList(type: Type, name: string): boolean {
  const attribute = attributeOf(type, name)!;
  return isMany(attribute) && attribute.type !== 'dynamiczone' && !attribute.relation?.startsWith('morph');
}

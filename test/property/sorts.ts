import { attributeOf, isMany, type Type } from '../naive/types.ts';
import { isOrdered } from '../naive/values.ts';
import type { Query } from './filters.ts';
import type { QueryContext } from './query-context.ts';

/** The `sort` parameter of a type, in one of its shapes; undefined if nothing can be sorted by. */
export function randomSort(context: QueryContext, type: Type): unknown {
  const { random } = context;
  if (context.uses('randomSort', 15)) {
    const sort = `$random:${random.pick(['a', 'b-2', 'Seed_3'])}`;
    return random.chance(80) ? sort : [sort];
  }
  const keys = randomKeys(context, type);
  const counted = context.uses('countSort', 60) ? countPath(context, type, 2) : null;
  if (counted && !keys.some(([head]) => head === counted[0])) keys.splice(random.chance(75) ? 0 : 1, 0, counted);
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

/** A path through to-one relations and components to the number of entries of a relation; null if there is none. */
function countPath(context: QueryContext, type: Type, depth: number): string[] | null {
  const { random } = context;
  const visitable = context.visitableNames(type).filter((name) => type.attributes[name]!.type !== 'media');
  const counted = visitable.filter((name) => {
    return type.attributes[name]!.type === 'relation' && isMany(type.attributes[name]!);
  });
  const single = visitable.filter((name) => !isMany(type.attributes[name]!));
  if (depth > 0 && single.length > 0 && (counted.length === 0 || random.chance(30))) {
    const name = random.pick(single);
    const rest = countPath(context, context.targetOf(type.attributes[name]!), depth - 1);
    return rest && [name, ...rest];
  }
  if (counted.length === 0) return null;
  // links to both statuses are counted in one
  const ofDrafts = counted.filter((name) => context.targetOf(type.attributes[name]!).drafts && !type.drafts);
  return [random.pick(ofDrafts.length > 0 ? ofDrafts : counted), '$count'];
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

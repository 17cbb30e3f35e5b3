import { attributeOf, FILE, isHidden, isPolymorphic, isScalar, type Type, USER } from '../naive/types.ts';
import { type Query, randomFilter } from './filters.ts';
import type { QueryContext } from './query-context.ts';
import { isList, randomSort } from './sorts.ts';

/** The `fields` parameter of a type, in one of its shapes. */
export function randomFields(context: QueryContext, type: Type): unknown {
  const { random } = context;
  const names = random.some(context.scalarNames(type), 1, 4);
  return random.pick([names, names, names.join(','), names[0], '*']);
}

/** The `populate` parameter of a type, in one of its forms; undefined if there is nothing to populate. */
export function randomPopulate(context: QueryContext, type: Type, depth: number): unknown {
  const { random } = context;
  const names = populatable(type);
  if (names.length === 0) return undefined;
  if (depth > 1 && context.uses('deepPopulate', 20))
    return random.pick(['deep', 'deep,1', 'deep,2', 'deep,2', 'deep,3', 'deep,4']);
  const chosen = random.some(names, 1, 3);
  if (context.uses('deepPopulate', 20)) {
    if (random.chance(50)) return random.shuffled(['*', dotted(context, type, chosen[0]!, depth)]);
    return { '*': true, [chosen[0]!]: randomOption(context, type, chosen[0]!, depth) };
  }
  switch (random.integer(1, 8)) {
    case 1:
      return '*';
    case 2:
      return chosen[0];
    case 3:
      return chosen.map((name) => dotted(context, type, name, depth)).join(',');
    case 4:
      return random.many(1, 4, () => dotted(context, type, random.pick(chosen), depth));
    default:
      return Object.fromEntries(chosen.map((name) => [name, randomOption(context, type, name, depth)]));
  }
}

/** Users and files are populated without their relations. */
function populatable(type: Type): string[] {
  if (type.uid === FILE || type.uid === USER) return [];
  const names = Object.keys(type.attributes).filter((name) => {
    const attribute = type.attributes[name]!;
    return !isScalar(attribute) && !isHidden(attribute);
  });
  return type.localized ? [...names, 'localizations'] : names;
}

function isMixed(type: Type, name: string): boolean {
  const attribute = attributeOf(type, name)!;
  return attribute.type === 'dynamiczone' || isPolymorphic(attribute);
}

/** The name, or a path that begins with it. */
function dotted(context: QueryContext, type: Type, name: string, depth: number): string {
  if (depth === 0 || isMixed(type, name) || context.random.chance(50)) return name;
  const target = context.targetOf(attributeOf(type, name)!);
  const names = populatable(target);
  return names.length === 0 ? name : `${name}.${dotted(context, target, context.random.pick(names), depth - 1)}`;
}

function randomOption(context: QueryContext, type: Type, name: string, depth: number): unknown {
  const { random } = context;
  const attribute = attributeOf(type, name)!;
  if (random.chance(20)) return random.pick([true, 'true', true, false, 'false']);
  if (isMixed(type, name)) return mixedOption(context, type, name, depth);
  const target = context.targetOf(attribute);
  const isRelation = attribute.type === 'relation' && !attribute.morphBy && name !== 'localizations';
  if (isRelation && isList(type, name) && random.chance(10)) return { count: random.pick([true, 'true']) };
  const option: Query = {};
  const filterable = isRelation || (attribute.type === 'component' && isList(type, name));
  if (random.chance(40)) option.fields = randomFields(context, target);
  if (filterable && random.chance(35)) option.filters = randomFilter(context, target, 2);
  if (filterable && isList(type, name) && random.chance(35)) option.sort = randomSort(context, target);
  if (context.uses('populateWindow', isList(type, name) ? 50 : 10)) Object.assign(option, randomWindow(context));
  const populate = depth > 0 && random.chance(50) ? randomPopulate(context, target, depth - 1) : undefined;
  if (populate !== undefined) option.populate = populate;
  return Object.keys(option).length > 0 ? option : true;
}

/** A part of the list of each parent. */
function randomWindow({ random }: QueryContext): Query {
  return random.pick<Query>([
    { limit: random.integer(0, 3) },
    { start: random.integer(0, 2) },
    { start: random.integer(0, 2), limit: random.pick([1, 2, '2', -1]) },
    { page: random.integer(1, 2), pageSize: random.integer(1, 2) },
    { pageSize: 1 },
    { page: 2 },
    random.pick([{ limit: -2 }, { limit: 'x' }, { page: 0 }, { start: -1 }, { page: 1, limit: 2 }]),
  ]);
}

/** A dynamic zone or a polymorphic relation. */
function mixedOption(context: QueryContext, type: Type, name: string, depth: number): unknown {
  const { random, world } = context;
  const attribute = attributeOf(type, name)!;
  if (random.chance(30)) return { populate: '*' };
  if (context.uses('populateWindow', 5)) return { populate: '*', limit: 1 };
  const uids = attribute.components ?? Object.keys(world.types).filter((uid) => uid.startsWith('api::'));
  const on: Query = {};
  for (const uid of random.some(uids, 1, 2)) {
    const target = world.components[uid] ?? world.types[uid]!;
    const selection: Query = {};
    if (random.chance(50)) selection.fields = randomFields(context, target);
    const populate = depth > 0 && random.chance(50) ? randomPopulate(context, target, depth - 1) : undefined;
    if (populate !== undefined) selection.populate = populate;
    on[uid] = Object.keys(selection).length > 0 ? selection : random.pick([true, 'true']);
  }
  return { on };
}

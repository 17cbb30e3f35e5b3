import { attributeOf, FILE, isHidden, isPolymorphic, isScalar, type Type, USER } from '../naive/types.ts';
import type { Asking } from './asking.ts';
import { type Query, randomFilter } from './filters.ts';
import { isList, randomSort } from './sorts.ts';

/** The `fields` parameter of a type, in one of its shapes. */
export function randomFields(asking: Asking, type: Type): unknown {
  const { random } = asking;
  const names = random.some(asking.scalarNames(type), 1, 4);
  return random.pick([names, names, names.join(','), names[0], '*']);
}

/** The `populate` parameter of a type, in one of its forms; undefined if there is nothing to populate. */
export function randomPopulate(asking: Asking, type: Type, depth: number): unknown {
  const { random } = asking;
  const names = populatable(type);
  if (names.length === 0) return undefined;
  const chosen = random.some(names, 1, 3);
  switch (random.integer(1, 8)) {
    case 1:
      return '*';
    case 2:
      return chosen[0];
    case 3:
      return chosen.map((name) => dotted(asking, type, name, depth)).join(',');
    case 4:
      return random.many(1, 4, () => dotted(asking, type, random.pick(chosen), depth));
    default:
      return Object.fromEntries(chosen.map((name) => [name, randomOption(asking, type, name, depth)]));
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
function dotted(asking: Asking, type: Type, name: string, depth: number): string {
  if (depth === 0 || isMixed(type, name) || asking.random.chance(50)) return name;
  const target = asking.targetOf(attributeOf(type, name)!);
  const names = populatable(target);
  return names.length === 0 ? name : `${name}.${dotted(asking, target, asking.random.pick(names), depth - 1)}`;
}

function randomOption(asking: Asking, type: Type, name: string, depth: number): unknown {
  const { random } = asking;
  const attribute = attributeOf(type, name)!;
  if (random.chance(20)) return random.pick([true, 'true', true, false, 'false']);
  if (isMixed(type, name)) return mixedOption(asking, type, name, depth);
  const target = asking.targetOf(attribute);
  const isRelation = attribute.type === 'relation' && !attribute.morphBy && name !== 'localizations';
  if (isRelation && isList(type, name) && random.chance(10)) return { count: random.pick([true, 'true']) };
  const option: Query = {};
  const filterable = isRelation || (attribute.type === 'component' && isList(type, name));
  if (random.chance(40)) option.fields = randomFields(asking, target);
  if (filterable && random.chance(35)) option.filters = randomFilter(asking, target, 2);
  if (filterable && isList(type, name) && random.chance(35)) option.sort = randomSort(asking, target);
  const populate = depth > 0 && random.chance(50) ? randomPopulate(asking, target, depth - 1) : undefined;
  if (populate !== undefined) option.populate = populate;
  return Object.keys(option).length > 0 ? option : true;
}

/** A dynamic zone or a polymorphic relation. */
function mixedOption(asking: Asking, type: Type, name: string, depth: number): unknown {
  const { random, world } = asking;
  const attribute = attributeOf(type, name)!;
  if (random.chance(30)) return { populate: '*' };
  const uids = attribute.components ?? Object.keys(world.types).filter((uid) => uid.startsWith('api::'));
  const on: Query = {};
  for (const uid of random.some(uids, 1, 2)) {
    const target = world.components[uid] ?? world.types[uid]!;
    const selection: Query = {};
    if (random.chance(50)) selection.fields = randomFields(asking, target);
    const populate = depth > 0 && random.chance(50) ? randomPopulate(asking, target, depth - 1) : undefined;
    if (populate !== undefined) selection.populate = populate;
    on[uid] = Object.keys(selection).length > 0 ? selection : random.pick([true, 'true']);
  }
  return { on };
}

import type { AttributeDefinition } from '../model/definitions.ts';
import { isMany, isPolymorphic, type Type } from './content.ts';
import { randomFilter } from './filters.ts';
import { type NamedAttribute, openLinks, openScalars, type Query, type QueryContext } from './query-context.ts';

export function randomFields({ random }: QueryContext, type: Type): unknown {
  const names = openScalars(type).map(([name]) => name);
  const chosen = random.some(names, 1, 4);
  if (random.chance(5)) return random.pick(['*', ['*'], [chosen[0], '*']]);
  if (random.chance(20)) return chosen.join(',');
  return chosen.length === 1 && random.chance(50) ? chosen[0] : chosen;
}

/** Everything that `populate` takes, nested `depth` deep at most. */
export function randomPopulate(context: QueryContext, type: Type, depth: number): unknown {
  const { random } = context;
  const links = populatable(type);
  if (links.length === 0 || random.chance(12)) return '*';
  const chosen = random.some(links, 1, 3);
  const paths = () => {
    const links = random.chance(20) ? [...chosen, random.pick(chosen)] : chosen;
    return links.map((link) => randomPath(context, link, random.integer(0, 2)));
  };
  switch (random.integer(1, 8)) {
    case 1:
      return paths()[0];
    case 2:
      return paths();
    case 3:
      return paths().join(',');
    default:
      return Object.fromEntries(chosen.map(([name, link]) => [name, randomOptions(context, link, depth)]));
  }
}

/** Relations and the like, and on localized types what the other locales hold. */
function populatable(type: Type): NamedAttribute[] {
  const { localizations } = type.attributes;
  const links = openLinks(type);
  return localizations && !localizations.private ? [...links, ['localizations', localizations]] : links;
}

/** A dotted path that leads on through up to `depth` relations; through media none may lead. */
function randomPath(context: QueryContext, [name, link]: NamedAttribute, depth: number): string {
  if (depth === 0 || isPolymorphic(link) || link.type === 'media') return name;
  const links = openLinks(context.content.target(link));
  return links.length === 0 ? name : `${name}.${randomPath(context, context.random.pick(links), depth - 1)}`;
}

function randomOptions(context: QueryContext, link: AttributeDefinition, depth: number): unknown {
  const { random, content } = context;
  if (random.chance(20)) return random.pick([true, 'true', 'true', '1', false, 'false']);
  if (isPolymorphic(link)) return randomFragments(context, link, depth);
  const target = content.target(link);
  const options: Query = {};
  if (random.chance(40)) options.fields = randomFields(context, target);
  if (random.chance(25)) options.filters = randomFilter(context, target, 1);
  if (random.chance(isMany(link) ? 40 : 10)) options.sort = randomOwnSort(context, target);
  if (depth > 0 && random.chance(45)) options.populate = randomPopulate(context, target, depth - 1);
  if (random.chance(6)) options.count = random.pick([true, 'true', 'false']);
  return Object.keys(options).length === 0 ? true : options;
}

/** For zones and polymorphic relations: all, a count, or what to populate by type. */
function randomFragments(context: QueryContext, link: AttributeDefinition, depth: number): unknown {
  const { random, content } = context;
  if (random.chance(25)) return { populate: '*' };
  if (random.chance(8)) return { count: random.pick([true, 'true', 'false']) };
  const uids = (link.components as string[] | undefined) ?? content.routed.map(({ uid }) => uid);
  const on = random.some(uids, 1, 4).map((uid) => {
    const type = content.type(uid);
    const fragment: Query = {};
    if (random.chance(40)) fragment.fields = randomFields(context, type);
    if (depth > 0 && random.chance(60)) fragment.populate = randomPopulate(context, type, depth - 1);
    return [uid, Object.keys(fragment).length === 0 ? true : fragment];
  });
  return { on: Object.fromEntries(on) };
}

/** By own attributes and, so that nothing is left open, by id. */
function randomOwnSort(context: QueryContext, type: Type): unknown {
  const { random } = context;
  const scalars = openScalars(type).filter(([, { type: kind }]) => kind !== 'json' && kind !== 'blocks');
  const keys = random.some(scalars, 1, 2).map(([name]) => `${name}:${random.pick(['asc', 'desc'])}`);
  const all = [...keys, 'id'];
  return random.chance(30) ? all.join(',') : all;
}

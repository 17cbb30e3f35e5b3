import { attributeOf, type Type } from '../naive/types.ts';
import { isOrdered, isText } from '../naive/values.ts';
import type { QueryContext } from './query-context.ts';

export type Query = Record<string, unknown>;

const orderOperators = ['$eq', '$eq', '$ne', '$lt', '$lte', '$gt', '$gte'];
const textOperators = [
  '$eqi',
  '$eqi',
  '$nei',
  '$nei',
  '$contains',
  '$notContains',
  '$containsi',
  '$notContainsi',
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
];

/** A filter of the type. `depth` limits the nesting of relations and groups. */
export function randomFilter(context: QueryContext, type: Type, depth: number): Query {
  const { random } = context;
  const filter: Query = {};
  const zones = Object.keys(type.attributes).filter((name) => type.attributes[name]!.type === 'dynamiczone');
  if (depth > 0 && zones.length > 0 && context.uses('zoneFilters', 35)) {
    const visit = randomZoneVisit(context, type, random.pick(zones), depth);
    Object.assign(filter, random.chance(25) ? { $not: visit } : visit);
    if (random.chance(70)) return filter;
  }
  for (let i = random.integer(1, random.chance(30) ? 2 : 1); i > 0; i--) {
    const visitable = context.visitableNames(type);
    if (depth > 0 && random.chance(25)) Object.assign(filter, randomGroup(context, type, depth));
    else if (depth > 0 && visitable.length > 0 && random.chance(55)) {
      const name = random.pick(visitable);
      const visit = randomVisit(context, type, name, depth);
      if (random.chance(15)) filter.$not = { [name]: visit };
      else filter[name] = visit;
    } else {
      const name = randomScalar(context, type);
      filter[name] = fieldCondition(context, type, name);
    }
  }
  return filter;
}

/** Conditions on the components of one or two types in a zone. */
function randomZoneVisit(context: QueryContext, type: Type, name: string, depth: number): Query {
  const { random, world } = context;
  const uids = random.some(type.attributes[name]!.components!, 1, random.chance(20) ? 2 : 1);
  const on = uids.map((uid) => [uid, randomFilter(context, world.components[uid]!, depth - 1)]);
  return { [name]: { on: Object.fromEntries(on) } };
}

/** A scalar for a condition, more often specific to the type than common to all. */
function randomScalar(context: QueryContext, type: Type): string {
  const { random } = context;
  const all = context.scalarNames(type);
  const own = all.filter((name) => Object.hasOwn(type.attributes, name));
  const texts = own.filter((name) => isText(type.attributes[name]!));
  if (texts.length > 0 && random.chance(40)) return random.pick(texts);
  return random.pick(own.length > 0 && random.chance(50) ? own : all);
}

function randomGroup(context: QueryContext, type: Type, depth: number): Query {
  const { random } = context;
  const key = random.pick(['$and', '$or', '$not']);
  const list = () => random.many(1, 3, () => randomFilter(context, type, depth - 1));
  if (key === '$not' && random.chance(70)) return { [key]: randomFilter(context, type, depth - 1) };
  return { [key]: list() };
}

/** A relation, component or media key. */
function randomVisit(context: QueryContext, type: Type, name: string, depth: number): unknown {
  const { random } = context;
  const target = context.targetOf(attributeOf(type, name)!);
  if (random.chance(12)) return { [random.pick(['$null', '$notNull'])]: random.pick([true, false, 'true', '0']) };
  if (target.kind !== 'component' && random.chance(12)) {
    const id = () => context.operand(target, 'id');
    return random.pick([
      id,
      () => [id(), id()],
      () => ({ $in: [id(), id()] }),
      () => ({ $not: { $eq: id() } }),
      () => null,
    ])();
  }
  if (random.chance(10)) return { $not: randomFilter(context, target, depth - 1) };
  if (random.chance(10)) return { $or: random.many(1, 2, () => randomFilter(context, target, depth - 1)) };
  return randomFilter(context, target, depth - 1);
}

/** The condition on one scalar. */
function fieldCondition(context: QueryContext, type: Type, name: string): unknown {
  const { random } = context;
  const attribute = attributeOf(type, name)!;
  if (!isOrdered(attribute)) return nullCondition(context);
  const operand = () => context.operand(type, name);
  switch (random.integer(1, 20)) {
    case 1:
    case 2:
      return operand();
    case 3:
      return random.many(1, 3, operand);
    case 4:
      return random.chance(50) ? nullCondition(context) : random.pick([null, { $eq: null }, { $ne: null }]);
    case 5:
      return { $not: random.chance(80) ? operatorCondition(context, type, name) : operand() };
    case 6:
      return { $or: random.many(1, 3, () => operatorCondition(context, type, name)) };
    case 7:
      return { $and: random.many(1, 2, () => operatorCondition(context, type, name)) };
    case 8:
      return { ...operatorCondition(context, type, name), ...operatorCondition(context, type, name) };
    default:
      return operatorCondition(context, type, name);
  }
}

function nullCondition({ random }: QueryContext): Query {
  const flag = random.pick([true, false, 'true', 'false', '1', '0', 1, 0, 't', 'f', '', 'yes']);
  return { [random.pick(['$null', '$notNull'])]: flag };
}

function operatorCondition(context: QueryContext, type: Type, name: string): Query {
  const { random } = context;
  const attribute = attributeOf(type, name)!;
  const operand = () => context.operand(type, name);
  if (isText(attribute) && random.chance(60)) {
    const operator = random.pick(textOperators);
    const text = () => context.textOperand(type, name, operator);
    return { [operator]: random.chance(12) ? [text(), text()] : text() };
  }
  if (attribute.type === 'boolean') {
    const operator = random.pick(['$eq', '$ne', '$in', '$notIn']);
    return { [operator]: operator.endsWith('n') ? [operand()] : operand() };
  }
  if (random.chance(25)) {
    return { [random.pick(['$in', '$notIn'])]: random.chance(15) ? operand() : random.many(1, 3, operand) };
  }
  if (random.chance(15)) return { $between: [operand(), operand()] };
  return { [random.pick(orderOperators)]: random.chance(10) ? [operand(), operand()] : operand() };
}

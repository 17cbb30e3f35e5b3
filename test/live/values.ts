import type { Attribute } from '../naive/snapshot.ts';
import { FILE, isMany, isScalar } from '../naive/types.ts';
import { storedValue } from '../property/pools.ts';
import type { Random } from '../property/random.ts';
import { type Model, USERS, type Values } from './model.ts';

/** Gives ids to new rows: above all ever used in their type, with gaps. */
export class Ids {
  readonly #model: Model;
  readonly #last = new Map<string, number>();

  constructor(model: Model) {
    this.#model = model;
  }

  next(random: Random, type: string): number {
    const last = this.#last.get(type) ?? Math.max(0, ...this.#model.used(type));
    const id = last + random.pick([1, 1, 1, 2, 5]);
    this.#last.set(type, id);
    return id;
  }
}

/** A value of an attribute: one of the few that content begins with, or one that it never had. */
export function randomValue(random: Random, attribute: Attribute): unknown {
  if (random.chance(12)) return null;
  return random.chance(65) ? storedValue(random, attribute) : newValue(random, attribute);
}

function newValue(random: Random, attribute: Attribute): unknown {
  const number = random.integer(-3000, 3000);
  const text = `${random.pick(['', 'a', 'Zeta ', 'émile ', '50%', ' '])}${number}`;
  switch (attribute.type) {
    case 'integer':
    case 'biginteger':
    case 'timestamp':
      return number;
    case 'float':
    case 'decimal':
      return number / 4;
    case 'date':
      return new Date(number * 86_400_000).toISOString().slice(0, 10);
    case 'time':
      return new Date(Math.abs(number) * 10_007).toISOString().slice(11, 23);
    case 'datetime':
      return new Date(number * 86_400_123).toISOString();
    case 'json':
      return { [text]: number };
    case 'array':
      return [text];
    case 'blocks':
      return [{ type: 'paragraph', children: [{ type: 'text', text }] }];
    case 'boolean':
    case 'enumeration':
      return storedValue(random, attribute);
    default:
      return text;
  }
}

/** Scalars of a row and its components, which get new ids. */
export function randomData(random: Random, model: Model, ids: Ids, type: string): Values {
  const data: Values = {};
  for (const [name, attribute] of Object.entries(model.attributesOf(type))) {
    if (random.chance(10)) continue;
    if (isScalar(attribute)) data[name] = randomValue(random, attribute);
    else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
      const items = random.many(0, isMany(attribute) ? 3 : 1, () => randomComponent(random, model, ids, attribute));
      data[name] = isMany(attribute) ? items : (items[0] ?? null);
    }
  }
  if (type === USERS) Object.assign(data, { confirmed: true, blocked: random.chance(20), provider: 'local' });
  if (type === FILE) Object.assign(data, { name: `file ${random.integer(1, 99)}.png`, url: '/uploads/new.png' });
  return data;
}

export function randomComponent(random: Random, model: Model, ids: Ids, attribute: Attribute): Values {
  const uid = attribute.component ?? random.pick(attribute.components!);
  const data = { id: ids.next(random, uid), ...randomData(random, model, ids, uid) };
  return attribute.type === 'dynamiczone' ? { __component: uid, ...data } : data;
}

/** A copy of components in which each has a new id, and the new id of each by its type and old id. */
export function withNewComponentIds(
  random: Random,
  model: Model,
  ids: Ids,
  type: string,
  data: Values,
): { data: Values; renamed: Map<string, { type: string; from: number; to: number }> } {
  const renamed = new Map<string, { type: string; from: number; to: number }>();
  const rename = (of: string, values: Values) => {
    for (const { uid, item } of model.components(of, values)) {
      const from = item.id as number;
      item.id = ids.next(random, uid);
      renamed.set(`${uid} ${from}`, { type: uid, from, to: item.id as number });
      rename(uid, item);
    }
  };
  const copy = structuredClone(data);
  rename(type, copy);
  return { data: copy, renamed };
}

import { relatedType, type Scope } from './filter.ts';
import { type Sees, scalarOf } from './matches.ts';
import { type Attribute, isObject, Refused, Unspecified } from './snapshot.ts';
import { attributeOf, isHidden, isPolymorphic, isScalar, type Type } from './types.ts';
import { type Comparable, type Compare, comparable, compareOf, isOrdered } from './values.ts';
import type { Row } from './world.ts';

export interface SortKey {
  /** Relations and components on the way. */
  path: string[];
  name: string;
  attribute: Attribute;
  descending: boolean;
  /** Null is less than every value. Otherwise it is greater. */
  nullIsLeast: boolean;
  compare: Compare;
}

/** The `sort` parameter: text, a comma list, a list, an object, or a list of objects. */
export function readSort(scope: Scope, type: Type, input: unknown): SortKey[] {
  if (typeof input === 'string') return input.split(',').map((item) => readItem(scope, type, item));
  if (isObject(input)) return readObject(scope, type, input, []);
  if (!Array.isArray(input)) throw new Refused(400, 'sort must be text, a list or an object');
  if (input.every((item) => typeof item === 'string')) return input.flatMap((item) => readSort(scope, type, item));
  // the recorded server refuses a list that holds both text and objects
  if (!input.every(isObject)) throw new Refused(400, 'a sort list holds text only or objects only');
  return input.flatMap((item) => readObject(scope, type, item, []));
}

function readItem(scope: Scope, type: Type, item: string): SortKey {
  const [path, order = 'asc', ...more] = item.split(':');
  if (more.length > 0) {
    if (scope.dialect === 'document') throw new Refused(400, 'one item has one order');
    throw new Unspecified('several orders');
  }
  return readKey(scope, type, path!.split('.'), order);
}

function readObject(scope: Scope, type: Type, input: Record<string, unknown>, path: string[]): SortKey[] {
  return Object.keys(input).flatMap((name) => {
    const value = input[name];
    if (isObject(value)) return readObject(scope, type, value, [...path, name]);
    if (typeof value !== 'string') throw new Refused(400, 'a sort order must be text');
    return [readKey(scope, type, [...path, name], value)];
  });
}

function readKey(scope: Scope, type: Type, names: string[], order: string): SortKey {
  if (!['asc', 'desc', 'ASC', 'DESC'].includes(order)) throw new Refused(400, `Invalid order ${order}`);
  const path = names.slice(0, -1);
  const name = names.at(-1)!;
  let current = type;
  for (const step of path) {
    const attribute = visible(current, step);
    if (isScalar(attribute)) throw new Refused(400, `Invalid key ${step}`);
    if (attribute.type === 'dynamiczone' || isPolymorphic(attribute)) throw new Refused(400, `Invalid key ${step}`);
    if (attribute.morphBy || attribute.type === 'media' || step === 'localizations') {
      throw new Unspecified(`sort through ${step}`);
    }
    current = relatedType(scope, attribute, step);
  }
  const attribute = visible(current, name);
  if (!isScalar(attribute) || !isOrdered(attribute)) throw new Unspecified(`sort by ${name}`);
  const { database } = scope.world;
  const descending = order.toLowerCase() === 'desc';
  return { path, name, attribute, descending, nullIsLeast: database !== 'postgres', compare: compareOf(database) };
}

function visible(type: Type, name: string): Attribute {
  const attribute = attributeOf(type, name);
  if (!attribute || isHidden(attribute)) throw new Refused(400, `Invalid key ${name}`);
  return attribute;
}

/** A sorted copy; ties end on ascending id. */
export function sorted(rows: Row[], keys: SortKey[], sees: Sees): Row[] {
  return [...rows].sort((a, b) => {
    for (const key of keys) {
      const difference = compareKeys(key, firstValue(a, key, sees), firstValue(b, key, sees));
      if (difference !== 0) return key.descending ? -difference : difference;
    }
    return a.id - b.id;
  });
}

function compareKeys({ nullIsLeast, compare }: SortKey, a: Comparable | null, b: Comparable | null): number {
  if (a === null || b === null) return a === b ? 0 : (a === null) === nullIsLeast ? -1 : 1;
  return compare(a, b);
}

/** The value that comes first in the key's order among all that the path leads to. */
function firstValue(row: Row, key: SortKey, sees: Sees): Comparable | null {
  let rows: (Row | null)[] = [row];
  for (const step of key.path) {
    rows = rows.flatMap((current): (Row | null)[] => {
      const related = current?.related[step]?.filter(sees) ?? [];
      return related.length === 0 ? [null] : related;
    });
  }
  const values = rows.map((current) => {
    const value = scalarOf(current, key.name);
    return value === null ? null : comparable(key.attribute, value);
  });
  return values.reduce((best, value) => (compareKeys(key, value, best) > 0 === key.descending ? value : best));
}

/** The attributes of the sorted type itself that the keys name. */
export function ownNames(keys: SortKey[]): string[] {
  return keys.filter((key) => key.path.length === 0).map((key) => key.name);
}

import { relatedType, type Scope } from './filter.ts';
import type { Links } from './links.ts';
import { scalarOf } from './matches.ts';
import { orderOf } from './random-order.ts';
import { type Attribute, isObject, Refused, Unspecified } from './snapshot.ts';
import { attributeOf, isHidden, isMany, isPolymorphic, isScalar, type Type } from './types.ts';
import { type Comparable, type Compare, comparable, compareOf, isOrdered, isText } from './values.ts';
import type { Row } from './world.ts';

export interface SortKey {
  /** Relations and components on the way. */
  path: string[];
  name: string;
  /** The value of a row at the end of the path; that of the row of nulls if there is none. */
  valueAt(row: Row | null, links: Links): Comparable | null;
  descending: boolean;
  /** Null is less than every value. Otherwise it is greater. */
  nullIsLeast: boolean;
  compare: Compare;
}

/** The `sort` parameter: text, a comma list, a list, an object, or a list of objects. */
export function readSort(scope: Scope, type: Type, input: unknown): SortKey[] {
  if (scope.world.features.has('randomSort')) {
    const seed = readSeed(type, input);
    if (seed !== null) return [randomKey(seed)];
  }
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
  const counts = names.length > 1 && names.at(-1) === '$count' && scope.world.features.has('countSort');
  if (counts) names = names.slice(0, -1);
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
    if (counts && isMany(attribute)) throw new Refused(400, `${step} leads to many`);
    current = relatedType(scope, attribute, step);
  }
  const attribute = visible(current, name);
  const descending = order.toLowerCase() === 'desc';
  if (counts) return countKey(scope, path, name, attribute, descending);
  if (!isScalar(attribute) || !isOrdered(attribute)) throw new Unspecified(`sort by ${name}`);
  const { database } = scope.world;
  const valueAt = (row: Row | null): Comparable | null => {
    const value = scalarOf(row, name);
    return value === null ? null : comparable(attribute, value);
  };
  const compare = scope.language !== null && isText(attribute) ? orderOfLanguage(scope.language) : compareOf(database);
  return { path, name, valueAt, descending, nullIsLeast: database !== 'postgres', compare };
}

function orderOfLanguage(language: string): Compare {
  const collator = new Intl.Collator(language, { usage: 'sort' });
  return (a, b) => collator.compare(String(a), String(b));
}

/** By the number of entries that `populate[name][count]=true` gives. */
function countKey(scope: Scope, path: string[], name: string, attribute: Attribute, descending: boolean): SortKey {
  const isCounted = attribute.type === 'relation' && isMany(attribute) && !isPolymorphic(attribute);
  if (!isCounted || attribute.morphBy || name === 'localizations') throw new Refused(400, `${name} cannot be counted`);
  relatedType(scope, attribute, name);
  const valueAt = (row: Row | null, links: Links) => (row === null ? 0 : links.populated(row, name).length);
  return { path, name: '$count', valueAt, descending, nullIsLeast: true, compare: compareOf('postgres') };
}

/** The seed of `$random:SEED`, which stands alone; null for another sort. */
function readSeed(type: Type, input: unknown): string | null {
  const text = Array.isArray(input) && input.length === 1 ? input[0] : input;
  const keys = (Array.isArray(input) ? input : [input]).flatMap((item) => {
    return typeof item === 'string' ? item.split(',') : isObject(item) ? Object.keys(item) : [];
  });
  if (!keys.some((key) => /^\$random(:|$)/.test(key))) return null;
  const seed = /^\$random:([A-Za-z0-9_-]{1,64})$/.exec(String(text))?.[1];
  if (typeof text !== 'string' || seed === undefined) throw new Refused(400, '$random:SEED stands alone');
  if (type.kind === 'component') throw new Refused(400, 'components have no documentId');
  return seed;
}

function randomKey(seed: string): SortKey {
  const valueAt = (row: Row | null) => orderOf(seed, row!.documentId!);
  return { path: [], name: '$random', valueAt, descending: false, nullIsLeast: true, compare: compareOf('postgres') };
}

function visible(type: Type, name: string): Attribute {
  const attribute = attributeOf(type, name);
  if (!attribute || isHidden(attribute)) throw new Refused(400, `Invalid key ${name}`);
  return attribute;
}

/** A sorted copy; ties end on ascending id. */
export function sorted(rows: Row[], keys: SortKey[], links: Links): Row[] {
  return [...rows].sort((a, b) => {
    for (const key of keys) {
      const difference = compareKeys(key, firstValue(a, key, links), firstValue(b, key, links));
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
function firstValue(row: Row, key: SortKey, links: Links): Comparable | null {
  let rows: (Row | null)[] = [row];
  for (const step of key.path) {
    rows = rows.flatMap((current): (Row | null)[] => {
      const related = current === null ? [] : links.visited(current, step);
      return related.length === 0 ? [null] : related;
    });
  }
  const values = rows.map((current) => key.valueAt(current, links));
  return values.reduce((best, value) => (compareKeys(key, value, best) > 0 === key.descending ? value : best));
}

/** The attributes of the sorted type itself that the keys name. A count and a random order name none. */
export function ownNames(keys: SortKey[]): string[] {
  return keys.filter((key) => key.path.length === 0 && !key.name.startsWith('$')).map((key) => key.name);
}

/**
 * What the recorded service fails on (with a 500) though it has a meaning. In a list it is answered by that meaning.
 * Where one entry is asked for, an answer would say whether there is such an entry, which the service never said: a
 * 400.
 */
import { invalidKey } from '../../base/errors.ts';
import { type EntryType, isPolymorphic, isScalar, type ScalarAttribute } from '../../model/schema.ts';
import { comparisonKindOf } from '../../model/value-types.ts';
import type { Binding } from '../bind/binding.ts';
import type { SortKey } from '../bound.ts';
import { logicalOperators, operators } from '../operators.ts';
import { childPath, type Path } from '../syntax/place.ts';
import { isObject } from '../syntax/raw-value.ts';

/** A key of the type itself that stands twice in a sort that also leads through a relation. */
export function refuseFailingSort(sort: readonly SortKey[]): void {
  if (sort.every(({ path }) => path.length === 1)) return;
  const own = new Set<string>();
  for (const { path } of sort) {
    if (path.length > 1) continue;
    if (own.has(path[0])) throw invalidKey('sort', path[0], path[0]);
    own.add(path[0]);
  }
}

/** Throws for filters that the service fails on; they have been bound, so they have a meaning. */
export function refuseFailingFilters(binding: Binding, type: EntryType, filters: unknown): void {
  if (Array.isArray(filters)) throw invalidKey('filters', '0', null);
  if (isObject(filters)) new FailingFilters(binding).group(type, filters, null);
}

/** Operators of text that the database takes for columns of text only. */
const textOperators = new Set(['$contains', '$notContains', '$startsWith', '$endsWith']);

class FailingFilters {
  readonly #binding: Binding;

  constructor(binding: Binding) {
    this.#binding = binding;
  }

  /** Attributes, `$and`, `$or` and `$not`; operators that compare fail here. */
  group(type: EntryType, value: object, path: Path): void {
    for (const [key, inner] of entriesOf(value)) {
      if (operators.has(key)) this.#fail(key, path);
      if (key === '$not' && Array.isArray(inner)) this.#rawList(type, inner, path);
      else if (logicalOperators.has(key)) {
        if (key !== '$not' && !Array.isArray(inner)) this.#fail(key, path);
        if (isObject(inner)) this.group(type, inner, path);
      } else this.#attribute(type, key, inner, path);
    }
  }

  /** A list below `$not` comes to the database as it is: only names that its columns have too are found. */
  #rawList(type: EntryType, list: unknown[], path: Path): void {
    for (const [key, value] of list.filter(isObject).flatMap(entriesOf)) {
      if (logicalOperators.has(key)) {
        this.#rawList(type, Array.isArray(value) ? value : [value], path);
        continue;
      }
      const attribute = type.attributes.get(key);
      if (!attribute || !isScalar(attribute) || key !== key.toLowerCase()) this.#fail(key, path);
      this.#attribute(type, key, value, path);
    }
  }

  #attribute(type: EntryType, name: string, value: unknown, path: Path): void {
    const attribute = type.attributes.get(name);
    if (!attribute || isPolymorphic(attribute)) return;
    const at = childPath(path, name);
    if (isScalar(attribute)) this.#scalar(attribute, '$eq', value, at);
    else this.#related(this.#binding.schema.type(attribute.target), value, at);
  }

  /** Below a relation stand attributes, or one operator alone. */
  #related(target: EntryType, value: unknown, path: string): void {
    const id = target.attributes.get('id') as ScalarAttribute;
    if (!isObject(value)) return this.#scalar(id, '$eq', value, path);
    if (Array.isArray(value)) {
      if (value.some(isObject)) this.#fail('0', path);
      return this.#scalar(id, '$eq', value, path);
    }
    const keys = Object.keys(value);
    const operator = keys.find((key) => operators.has(key) || logicalOperators.has(key));
    if (operator === undefined || operator === '$and' || operator === '$or') {
      if (operator !== undefined && keys.length > 1) this.#fail(operator, path);
      return this.group(target, value, path);
    }
    const operand = (value as Record<string, unknown>)[operator];
    const isNested = operator === '$not' && (Array.isArray(operand) ? operand.some(isObject) : isObject(operand));
    if (keys.length > 1 || isNested) this.#fail(operator, path);
    this.#scalar(id, operator, operand, path);
  }

  /** What stands below an attribute's name: an operand, or operators. */
  #scalar(attribute: ScalarAttribute, operator: string, value: unknown, path: string): void {
    if (textOperators.has(operator) && comparisonKindOf(attribute.type) !== 'text') this.#fail(operator, path);
    if (!isObject(value) || value instanceof Date) {
      const isCompared = operators.get(operator)?.operand !== 'text' && operators.get(operator)?.operand !== 'boolean';
      if (isCompared && !isStorable(attribute, value)) this.#fail(operator, path);
      return;
    }
    for (const [key, inner] of entriesOf(value)) {
      if (key === '$and' || key === '$or') this.#fail(key, path);
      this.#scalar(attribute, key === '$not' || operators.has(key) ? key : operator, inner, path);
    }
  }

  #fail(key: string, path: Path): never {
    throw invalidKey('filters', key, path);
  }
}

/** The keys and values of an object, or of all objects in a list; those of plain values in a list have the key ''. */
function entriesOf(value: object): [string, unknown][] {
  if (!Array.isArray(value)) return Object.entries(value);
  return value.flatMap((item): [string, unknown][] => (isObject(item) ? entriesOf(item) : [['', item]]));
}

/** Whether a column of whole numbers, of 32 bits or 64, takes an operand. */
function isStorable({ type }: ScalarAttribute, value: unknown): boolean {
  if (value === null || value === undefined || (type !== 'integer' && type !== 'biginteger')) return true;
  if (type === 'biginteger') return BigInt.asIntN(64, BigInt(String(value))) === BigInt(String(value));
  return (Number(value) | 0) === Number(value);
}

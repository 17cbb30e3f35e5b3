/** Parameters as the tree that the server makes of them. */
import { groupBy } from './group-by.ts';
import type { Parameter } from './parameters.ts';

/** A text, nothing, a list, or an object in the order of its keys. */
export type QueryValue = string | null | readonly QueryValue[] | ReadonlyMap<string, QueryValue>;

/** Longer lists and deeper keys are read by rules that depend on the settings of the server. */
const longestList = 100;
const longestPath = 19;

/** Returns whether a value is a list. */
export function isList(value: QueryValue): value is readonly QueryValue[] {
  return Array.isArray(value);
}

/**
 * Reads what follows the first `depth` parts of the paths. Returns undefined for parameters whose tree depends on the
 * finer rules of the parser, such as a key with both a value and members, or lists with gaps.
 */
export function readValue(parameters: readonly Parameter[], depth: number): QueryValue | undefined {
  if (parameters.some(({ path }) => path.length > longestPath || /[[\]]/.test(path[0]))) return undefined;
  return read(parameters, depth);
}

function read(parameters: readonly Parameter[], depth: number): QueryValue | undefined {
  const ends = parameters.filter(({ path }) => path.length === depth);
  if (ends.length > 0) {
    if (ends.length < parameters.length) return undefined;
    return ends.length === 1 ? ends[0].value : listOf(ends.map(({ value }) => value));
  }
  const groups = groupBy(parameters, ({ path }) => path[depth]);
  const keys = [...groups.keys()];
  if (keys.includes('')) {
    if (keys.length > 1 || parameters.some(({ path }) => path.length > depth + 1)) return undefined;
    return listOf(parameters.map(({ value }) => value));
  }
  const isNumbered = keys.every((key, i) => key === String(i));
  if (!isNumbered && keys.some((key) => /^\d+$/.test(key) || key === '__proto__')) return undefined;
  const values = Array.from(groups.values(), (group) => read(group, depth + 1));
  if (!isComplete(values)) return undefined;
  if (!isNumbered) return new Map(keys.map((key, i) => [key, values[i]]));
  return values.some(isList) ? undefined : listOf(values);
}

function isComplete(values: readonly (QueryValue | undefined)[]): values is readonly QueryValue[] {
  return !values.includes(undefined);
}

function listOf(values: readonly QueryValue[]): readonly QueryValue[] | undefined {
  return values.length > longestList ? undefined : values;
}

import { type Populated, plainSelection, type Selection } from './explored-query.ts';
import { groupBy } from './group-by.ts';
import { type Parameter, startsWith } from './parameters.ts';
import { isList, type QueryValue } from './query-value.ts';
import { isName, readFields } from './read-names.ts';

/** As keys of `populate`, Strapi reads these as options or switches. */
const reserved = /^(?:sort|filters|fields|populate|on|count|true|false|t|f|\d+)$/i;

const off = /^(?:false|f|0)$/i;

/** Below a longer path, names that are written out might not be readable. */
const longestPlace = 17;

/** A selection, and what has no place in it. */
interface ReadSelection {
  readonly selection: Selection;
  readonly kept: readonly Parameter[];
}

/** Reads `populate`. `parameters` are its parameters, with paths that `at` leads to it in. */
export function readPopulate(
  value: QueryValue | undefined,
  parameters: readonly Parameter[],
  at: readonly string[],
): ReadSelection {
  const whole = { selection: plainSelection, kept: parameters };
  if (value === undefined || value === null) return whole;
  if (value === '*') return { selection: { ...plainSelection, populatesAll: true }, kept: [] };
  if (typeof value === 'string' || isList(value)) {
    const texts = typeof value === 'string' ? [value] : value;
    const isReadable = at.length <= longestPlace && texts.every((text) => typeof text === 'string');
    const selection = isReadable ? selectionOfTexts(texts) : null;
    return selection ? { selection, kept: [] } : whole;
  }
  const populate: Populated[] = [];
  const kept: Parameter[] = [];
  for (const [key, inner] of value) {
    const here = [...at, key];
    const own = parameters.filter(({ path }) => startsWith(path, here));
    const populated = isName(key) && !reserved.test(key) ? readPopulated(key, inner, own, here) : null;
    if (populated) populate.push(populated);
    else kept.push(...own);
  }
  return { selection: { ...plainSelection, populate }, kept };
}

/** Returns null for names that are unusual. Names without commas and dots mean the same in brackets. */
function selectionOfTexts(texts: readonly string[]): Selection | null {
  if (texts.some((text) => pathsOf(text).some((names) => names.some((name) => !isName(name) || reserved.test(name))))) {
    return null;
  }
  const populate = populatedByPaths(texts);
  return texts.every(isName) ? { ...plainSelection, populate } : { ...plainSelection, populate, paths: texts };
}

/** Returns the dotted paths between the commas of a text. */
export function pathsOf(text: string): string[][] {
  return text.split(',').map((path) => path.split('.').map((name) => name.trim()));
}

/** Returns what the texts of `populate` lead to. */
export function populatedByPaths(texts: readonly string[]): Populated[] {
  return populatedBy(texts.flatMap(pathsOf));
}

function populatedBy(paths: readonly (readonly string[])[]): Populated[] {
  return Array.from(
    groupBy(paths, ([first]) => first),
    ([attribute, sharing]) => {
      const rest = sharing.filter(({ length }) => length > 1).map((names) => names.slice(1));
      return { attribute, selection: { ...plainSelection, populate: populatedBy(rest) }, count: false, kept: [] };
    },
  );
}

/** Returns null for an attribute that is not populated. */
function readPopulated(
  attribute: string,
  value: QueryValue,
  parameters: readonly Parameter[],
  at: readonly string[],
): Populated | null {
  if (value === null || isList(value) || value === '') return null;
  if (value === 'true') return { attribute, selection: plainSelection, count: false, kept: [] };
  if (typeof value === 'string') {
    return off.test(value) ? null : { attribute, selection: plainSelection, count: false, kept: below(parameters, at) };
  }
  const of = (name: string) => parameters.filter(({ path }) => path[at.length] === name);
  const fields = readFields(value.get('fields') ?? null);
  const count = value.get('count') === 'true';
  const nested = readPopulate(value.get('populate'), of('populate'), [...at, 'populate']);
  const kept = parameters.filter((parameter) => {
    const name = parameter.path[at.length];
    if (name === 'fields') return fields === null;
    if (name === 'count') return !count;
    return name !== 'populate' || nested.kept.includes(parameter);
  });
  return { attribute, selection: { ...nested.selection, fields }, count, kept: below(kept, at) };
}

function below(parameters: readonly Parameter[], at: readonly string[]): Parameter[] {
  return parameters.map(({ path, value }) => ({ path: path.slice(at.length), value }));
}

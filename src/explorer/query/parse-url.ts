import { type ExploredQuery, pageNames } from './explored-query.ts';
import { groupBy } from './group-by.ts';
import { nameOf, type Parameter, parseParameters } from './parameters.ts';
import { readValue } from './query-value.ts';
import { readFilters } from './read-filters.ts';
import { readFacets, readFields, readSort } from './read-names.ts';
import { readPopulate } from './read-populate.ts';

/** The parameters with controls, in the order in which they are printed. */
export const shownParameters = [
  'filters',
  'sort',
  'fields',
  'populate',
  'pagination',
  'status',
  'locale',
  '_q',
  'facets',
] as const;

type Shown = (typeof shownParameters)[number];

/** Reads a URL below the prefix, without a leading slash. What no control can show exactly is kept as it is written. */
export function parseUrl(url: string): ExploredQuery {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const parameters = mark < 0 ? [] : parseParameters(url.slice(mark + 1));
  const parts = groupBy(parameters, nameOf);
  const kept: Parameter[] = [];
  const read = <T>(name: Shown, of: (own: readonly Parameter[]) => T | null): T | null => {
    const own = parts.get(name) ?? [];
    const value = own.length > 0 ? of(own) : null;
    if (value === null) kept.push(...own);
    return value;
  };
  const readBy = <T>(name: Shown, reader: (value: NonNullable<ReturnType<typeof readValue>>) => T | null) =>
    read(name, (own) => {
      const value = readValue(own, 1);
      return value === undefined || value === null ? null : reader(value);
    });
  const readText = (name: Shown) => readBy(name, (value) => (typeof value === 'string' ? value : null));
  const readParts = <T extends { readonly kept: readonly Parameter[] }>(
    name: Shown,
    of: (own: Parameter[]) => T,
  ): T => {
    const result = of(parts.get(name) ?? []);
    kept.push(...result.kept);
    return result;
  };

  // the order is that of `kept`
  const filters = readParts('filters', (own) => readFilters(readValue(own, 1), own)).items;
  const sort = readBy('sort', readSort) ?? [];
  const fields = readBy('fields', readFields);
  const { selection } = readParts('populate', (own) =>
    readPopulate(own.length > 0 ? readValue(own, 1) : undefined, own, ['populate']),
  );
  const { page } = readParts('pagination', readPage);
  const status = readText('status');
  const locale = readText('locale');
  const search = readText('_q');
  const facets = readBy('facets', readFacets) ?? [];
  const isOther = (parameter: Parameter) => !shownParameters.some((name) => name === nameOf(parameter));
  kept.push(...parameters.filter(isOther));
  return { path, selection: { ...selection, fields }, filters, sort, page, status, locale, search, facets, kept };
}

function readPage(parameters: readonly Parameter[]): Pick<ExploredQuery, 'page' | 'kept'> {
  const value = readValue(parameters, 1);
  const page: Partial<Record<string, string>> = {};
  if (value instanceof Map) {
    for (const name of pageNames) {
      const text = value.get(name);
      if (typeof text === 'string') page[name] = text;
    }
  }
  return { page, kept: parameters.filter(({ path }) => page[path[1]] === undefined) };
}

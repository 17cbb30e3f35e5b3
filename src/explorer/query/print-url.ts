import { type ExploredQuery, pageNames, type Selection } from './explored-query.ts';
import { groupBy } from './group-by.ts';
import { nameOf, type Parameter, printParameters } from './parameters.ts';
import { shownParameters } from './parse-url.ts';
import { filterParameters } from './print-filters.ts';

/** Prints a query as a URL below the prefix, without a leading slash. */
export function printUrl(query: ExploredQuery): string {
  const text = printParameters(parametersOf(query));
  return text === '' ? query.path : `${query.path}?${text}`;
}

function parametersOf(query: ExploredQuery): Parameter[] {
  const kept = groupBy(query.kept, nameOf);
  const shown = shownParameters.flatMap((name) => {
    const own = kept.get(name) ?? [];
    return name === 'filters' ? filterParameters(query.filters, own) : [...structured(query, name), ...own];
  });
  const others = query.kept.filter((parameter) => !shownParameters.some((name) => name === nameOf(parameter)));
  return [...shown, ...others];
}

function structured(query: ExploredQuery, name: Exclude<(typeof shownParameters)[number], 'filters'>): Parameter[] {
  const { sort, selection, page, facets } = query;
  switch (name) {
    case 'sort':
      return joined(
        ['sort'],
        sort.map(({ path, descending }) => (descending ? `${path}:desc` : path)),
      );
    case 'fields':
      return fieldsParameters(selection, []);
    case 'populate':
      return populateParameters(selection, ['populate']);
    case 'pagination':
      return pageNames.flatMap((member) => text(['pagination', member], page[member] ?? null));
    case 'status':
    case 'locale':
      return text([name], query[name]);
    case '_q':
      return text([name], query.search);
    case 'facets':
      return joined(['facets'], facets);
    default:
      return name satisfies never;
  }
}

function text(path: readonly string[], value: string | null): Parameter[] {
  return value === null ? [] : [{ path, value }];
}

function joined(path: readonly string[], texts: readonly string[]): Parameter[] {
  return texts.length === 0 ? [] : [{ path, value: texts.join(',') }];
}

/** The server always shows ids, so they stand for no other fields. */
function fieldsParameters({ fields }: Selection, at: readonly string[]): Parameter[] {
  return fields === null ? [] : joined([...at, 'fields'], fields.length > 0 ? fields : ['id']);
}

function populateParameters({ populatesAll, populate, paths }: Selection, at: readonly string[]): Parameter[] {
  if (populatesAll) return text(at, '*');
  if (paths) {
    return paths.length === 1 ? text(at, paths[0]) : paths.map((value, i) => ({ path: [...at, String(i)], value }));
  }
  return populate.flatMap(({ attribute, selection, count, kept }) => {
    const here = [...at, attribute];
    const options = [
      ...fieldsParameters(selection, here),
      ...populateParameters(selection, [...here, 'populate']),
      ...(count ? text([...here, 'count'], 'true') : []),
      ...kept.map(({ path, value }) => ({ path: [...here, ...path], value })),
    ];
    return options.length > 0 ? options : text(here, 'true');
  });
}

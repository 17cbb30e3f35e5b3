/** Edits of a query. Each returns a new one. `at` names the populated attributes; an empty list is the entry itself. */
import {
  type ExploredQuery,
  type FilterChip,
  type FilterItem,
  type Populated,
  plainSelection,
  type Selection,
  type SortItem,
} from './explored-query.ts';
import { nameOf, type Parameter } from './parameters.ts';
import { pathsOf, populatedByPaths } from './read-populate.ts';

/** Returns what is shown of an attribute, or null if it is not populated. */
export function selectionAt(query: ExploredQuery, at: readonly string[]): Selection | null {
  let selection: Selection | undefined = query.selection;
  for (const name of at) selection = selection?.populate.find(({ attribute }) => attribute === name)?.selection;
  return selection ?? null;
}

/** Adds a condition to those that must hold, beside another with its path and operator, too. */
export function addFilter(query: ExploredQuery, chip: FilterChip): ExploredQuery {
  return withFilters(query, [...query.filters, chip]);
}

/** Replaces a condition or a group. */
export function replaceFilter(query: ExploredQuery, index: number, item: FilterItem): ExploredQuery {
  return withFilters(query, query.filters.with(index, item));
}

/** Removes a condition or a group. */
export function removeFilter(query: ExploredQuery, index: number): ExploredQuery {
  return withFilters(query, query.filters.toSpliced(index, 1));
}

function withFilters(query: ExploredQuery, filters: readonly FilterItem[]): ExploredQuery {
  return onFirstPage({ ...query, filters });
}

/** Replaces the sort. */
export function withSort(query: ExploredQuery, sort: readonly SortItem[]): ExploredQuery {
  return { ...query, kept: without(query.kept, 'sort'), sort };
}

/** Replaces the page. */
export function withPage(query: ExploredQuery, page: ExploredQuery['page']): ExploredQuery {
  return { ...query, kept: without(query.kept, 'pagination'), page };
}

/** Replaces the facets. */
export function withFacets(query: ExploredQuery, facets: readonly string[]): ExploredQuery {
  return { ...query, kept: without(query.kept, 'facets'), facets };
}

/** Sets a parameter. Null removes it. */
export function withParameter(
  query: ExploredQuery,
  name: 'status' | 'locale' | 'search',
  value: string | null,
): ExploredQuery {
  return onFirstPage({ ...query, kept: without(query.kept, name === 'search' ? '_q' : name), [name]: value });
}

function onFirstPage(query: ExploredQuery): ExploredQuery {
  const { page: _page, start: _start, ...page } = query.page;
  const kept = query.kept.filter(
    ({ path: [name, member] }) => name !== 'pagination' || !/^(?:page|start)$/.test(member),
  );
  return { ...query, page, kept };
}

/** A selection, and the parameters that are kept beside it. Those of `fields` and `populate` give way to edits. */
interface Level {
  readonly selection: Selection;
  readonly kept: readonly Parameter[];
}

/**
 * Shows a field, or stops doing so. `all` names all scalar attributes of the type: ticking the last one shows all again.
 */
export function toggleField(
  query: ExploredQuery,
  at: readonly string[],
  field: string,
  all: readonly string[],
): ExploredQuery {
  return editAt(query, at, ({ selection, kept }) => ({
    selection: { ...selection, fields: toggledFields(selection.fields, field, all) },
    kept: without(kept, 'fields'),
  }));
}

/** Shows some fields, or all (null). */
export function withFields(
  query: ExploredQuery,
  at: readonly string[],
  fields: readonly string[] | null,
): ExploredQuery {
  return editAt(query, at, ({ selection, kept }) => ({
    selection: { ...selection, fields },
    kept: without(kept, 'fields'),
  }));
}

function toggledFields(fields: readonly string[] | null, field: string, all: readonly string[]): string[] | null {
  const before = fields ?? all;
  if (!before.includes(field)) {
    // the id stands for no other field
    const after = before.length === 1 && before[0] === 'id' ? [field] : [...before, field];
    return all.every((name) => after.includes(name)) ? null : after;
  }
  const after = before.filter((name) => name !== field);
  return after.length > 0 ? after : ['id'];
}

/** Populates a relation, or stops doing so. `relations` names all of the type, into which `populate=*` unfolds. */
export function togglePopulated(
  query: ExploredQuery,
  at: readonly string[],
  attribute: string,
  relations: readonly string[],
): ExploredQuery {
  const toggle = (level: Level, rest: readonly string[]): Level => {
    const { selection } = level;
    if (selection.paths) return { ...level, selection: toggledPaths(selection, selection.paths, [...rest, attribute]) };
    if (rest.length > 0) return below(level, rest, toggle);
    const populate = selection.populatesAll ? relations.map(plainly) : selection.populate;
    const isPopulated = populate.some((each) => each.attribute === attribute);
    const others = populate.filter((each) => each.attribute !== attribute);
    return {
      selection: {
        ...selection,
        populatesAll: false,
        populate: isPopulated ? others : [...others, plainly(attribute)],
      },
      kept: without(level.kept, 'populate'),
    };
  };
  return withLevel(query, toggle(rootOf(query), at));
}

/** Shows the number of entries that an attribute leads to, or the entries. */
export function withCount(
  query: ExploredQuery,
  at: readonly string[],
  attribute: string,
  count: boolean,
): ExploredQuery {
  return editAt(query, at, ({ selection, kept }) => {
    const populate = selection.populate.map((each) => (each.attribute === attribute ? { ...each, count } : each));
    return { selection: { ...selection, populate, paths: undefined }, kept };
  });
}

/** Names what `populate=*` populates, so that an attribute below it can be edited. */
export function unfoldPopulated(
  query: ExploredQuery,
  at: readonly string[],
  relations: readonly string[],
): ExploredQuery {
  return editAt(query, at, (level) => {
    const { selection } = level;
    if (!selection.populatesAll) return level;
    return { ...level, selection: { ...selection, populatesAll: false, populate: relations.map(plainly) } };
  });
}

function plainly(attribute: string): Populated {
  return { attribute, selection: plainSelection, count: false, kept: [] };
}

/** Adds a path, or removes all that begin with it. What the removed ones lead through stays populated. */
function toggledPaths(selection: Selection, texts: readonly string[], path: readonly string[]): Selection {
  const begins = (names: readonly string[], with_: readonly string[]) => with_.every((name, i) => names[i] === name);
  const isPopulated = texts.some((text) => pathsOf(text).some((names) => begins(names, path)));
  let paths = [...texts, path.join('.')];
  if (isPopulated) {
    const without = texts.map((text) => pathsOf(text).filter((names) => !begins(names, path)));
    const left = without.filter((names) => names.length > 0);
    const parent = path.slice(0, -1);
    paths = left.map((group) => group.map((names) => names.join('.')).join(','));
    if (parent.length > 0 && !left.flat().some((names) => begins(names, parent))) paths.push(parent.join('.'));
  }
  if (paths.length === 0) return { ...selection, populate: [], paths: undefined };
  return { ...selection, populate: populatedByPaths(paths), paths };
}

function editAt(query: ExploredQuery, at: readonly string[], edit: (level: Level) => Level): ExploredQuery {
  const visit = (level: Level, rest: readonly string[]): Level =>
    rest.length === 0 ? edit(level) : below(level, rest, visit);
  return withLevel(query, visit(rootOf(query), at));
}

/** Edits the level of a populated attribute, and populates it first if it is not. */
function below(
  level: Level,
  [name, ...rest]: readonly string[],
  edit: (level: Level, rest: readonly string[]) => Level,
): Level {
  const { selection } = level;
  const isPopulated = selection.populate.some(({ attribute }) => attribute === name);
  const populate = isPopulated ? selection.populate : [...selection.populate, plainly(name)];
  const edited = populate.map((each): Populated => {
    return each.attribute === name ? { ...each, ...edit(levelOf(each), rest) } : each;
  });
  return {
    selection: { ...selection, paths: undefined, populatesAll: false, populate: edited },
    kept: without(level.kept, 'populate'),
  };
}

/** A single value in place of options gives way to them. A star means that everything below is populated. */
function levelOf({ selection, kept }: Populated): Level {
  const value = kept.find(({ path }) => path.length === 0);
  if (!value) return { selection, kept };
  return { selection: { ...selection, populatesAll: value.value === '*' }, kept: [] };
}

function without(kept: readonly Parameter[], name: string): readonly Parameter[] {
  return kept.filter((parameter) => nameOf(parameter) !== name);
}

function rootOf({ selection, kept }: ExploredQuery): Level {
  return { selection, kept };
}

function withLevel(query: ExploredQuery, { selection, kept }: Level): ExploredQuery {
  return { ...query, selection, kept };
}

import { ForbiddenError, ValidationError } from '../../base/errors.ts';
import { type PublicationFilter, publicationFilters } from '../../model/publication-filters.ts';
import { type EntryType, isScalar, type ScalarType } from '../../model/schema.ts';
import { comparisonKindOf } from '../../model/value-types.ts';
import { type BoundQuery, type Condition, leadsThroughRelation, matchNothing, type Status } from '../bound.ts';
import type { QueryFlags } from '../flags.ts';
import { checkFilterNames, checkSortNames } from '../strapi/check-names.ts';
import { populateOfVersion4 } from '../strapi/populate-version-4.ts';
import { refuseFailingFilters, refuseFailingSort } from '../strapi/refuse-failing.ts';
import type { RawQuery } from '../syntax/parse.ts';
import { rootPart } from '../syntax/place.ts';
import { isPlainObject } from '../syntax/raw-value.ts';
import { bindFields, select } from './bind-fields.ts';
import { buildFilter } from './bind-filters.ts';
import type { Paging } from './bind-page.ts';
import { bindPopulate } from './bind-populate.ts';
import { buildSort } from './bind-sort.ts';
import type { Binding } from './binding.ts';

const parameters = new Set([
  'filters',
  'fields',
  'populate',
  'sort',
  'pagination',
  'status',
  'locale',
  'publicationFilter',
  'hasPublishedVersion',
  '_q',
]);

/** At the root, where the dialect pages there. */
const rootPaging = ['start', 'limit'];

/** The parameters that mean something to a route. */
export function parameterNames({ pagesAtRoot, showsDraftsBesidePublished }: QueryFlags): ReadonlySet<string> {
  return new Set([
    ...parameters,
    ...(pagesAtRoot ? rootPaging : []),
    ...(showsDraftsBesidePublished ? ['publicationState'] : []),
  ]);
}

/** What a route asks for, as far as it decides how a query is read. */
export interface RouteContext {
  readonly type: EntryType;
  /** A collection, in pages; otherwise a bare list, one entry or a count. */
  readonly isList: boolean;
  /** One entry, of which the filter counts too, or a count. */
  readonly isOne: boolean;
  readonly paging: Paging;
  /** The path names a document. */
  readonly namesDocument: boolean;
  /** The path names one row of it, so no locale has to be chosen. */
  readonly namesRow: boolean;
  /** Where no status is named, every status is meant: on routes that know of none. */
  readonly ofEveryStatus: boolean;
}

/**
 * Resolves a query against the schema as the caller may see it, casts operands and sets defaults. It is the
 * place that refuses a query, but for its page (`bindPage`): what it returns can be answered (but for the size of the
 * answer). `asked` tells what is asked for.
 */
export function bind(binding: Binding, asked: RouteContext, query: RawQuery): Omit<BoundQuery, 'page'> {
  const { type, isList } = asked;
  checkParameterNames(binding, query);
  const publicationFilter = bindPublicationFilter(binding, query.publicationFilter);
  // names are checked before values: a wrong name anywhere is reported first
  checkFilterNames(binding, type, query.filters, 'filters');
  checkSortNames(binding, type, query.sort, 'sort');
  const fields = bindFields(binding, type, query.fields, rootPart('fields'));
  const populate = bindPopulate(binding, type, readPopulate(binding, type, query.populate));
  const isIdAlone = asked.namesRow && binding.dialect.looksAtIdAlone;
  const sort = isIdAlone ? [] : buildSort(binding, type, query.sort, rootPart('sort'));
  if (query.lookup) throw new ValidationError("Invalid params: 'lookup'");
  const published = readPublishedFlag(binding, query.hasPublishedVersion);
  const publication = publicationFilter ?? (published === null ? null : bindPublishedFlag(binding, published));
  const { filters, locale } = withoutLookup(binding, type, query, asked);
  const filter = isIdAlone ? null : buildFilter(binding, type, filters, rootPart('filters'));
  if (binding.dialect.refusesFailing && asked.isOne && !isIdAlone) {
    refuseFailingSort(sort);
    refuseFailingFilters(binding, type, filters);
  }
  const locales = bindLocale(binding, type, asked.namesRow ? everyLocale : locale, isList);
  const joins = filter !== null && leadsThroughRelation(filter);
  return {
    type: type.uid,
    filter: all([filter, isIdAlone ? null : searchCondition(binding, type, query._q), locales.condition]),
    sort,
    selection: select(binding, type, fields, populate, joins ? sort : []),
    status: bindStatus(binding, query, asked),
    publication,
    locale: locales.locale,
  };
}

function readPopulate({ dialect, schema }: Binding, type: EntryType, value: unknown): unknown {
  return dialect.populatesAsVersion4 ? populateOfVersion4(schema, type, value) : value;
}

/** Filters and locale, without the one of two that give the same attribute which counts for nothing. */
function withoutLookup(
  { dialect }: Binding,
  type: EntryType,
  { filters, locale }: RawQuery,
  { namesDocument }: RouteContext,
): { filters: unknown; locale: unknown } {
  if (!dialect.filtersReplaceLookup || !isPlainObject(filters)) return { filters, locale };
  const { documentId, ...others } = filters;
  return {
    filters: namesDocument ? others : filters,
    locale: type.localized && filters.locale !== undefined ? everyLocale : locale,
  };
}

function all(conditions: readonly (Condition | null)[]): Condition | null {
  const said = conditions.filter((condition) => condition !== null);
  return said.length > 1 ? { kind: 'all', conditions: said } : (said[0] ?? null);
}

/** Parameters that do not exist. */
function checkParameterNames({ dialect, messages }: Binding, query: RawQuery): void {
  if (!dialect.refusesUnknown) return;
  const known = dialect.showsDraftsBesidePublished ? new Set([...parameters, 'publicationState']) : parameters;
  const key = Object.keys(query).find((name) => !known.has(name));
  if (key !== undefined) throw messages.parameter(key, known, query[key]);
}

const statuses = ['published', 'draft'];

/**
 * Where other words are not refused, anything but `published` asks for drafts. A type without drafts has one status,
 * whatever is asked; but relations follow the status, so it counts there too.
 */
function bindStatus(binding: Binding, query: RawQuery, { ofEveryStatus, namesRow }: RouteContext): Status | null {
  const { dialect, messages } = binding;
  const { followsToEveryStatus, showsDraftsBesidePublished, looksAtIdAlone } = dialect;
  const state = showsDraftsBesidePublished ? readPublicationState(binding, query.publicationState) : null;
  if (namesRow && looksAtIdAlone) return null;
  const { status } = query;
  if (status !== undefined && dialect.refusesUnknown && !statuses.includes(status as string)) {
    throw messages.choice('status', status, statuses);
  }
  if (state === 'live') return 'published';
  if (status === undefined && state === null) return ofEveryStatus && followsToEveryStatus ? null : 'published';
  if (status === 'published' && state === null) return 'published';
  checkDrafts(binding);
  return showsDraftsBesidePublished ? null : 'draft';
}

const publicationStates = ['live', 'preview'];

function readPublicationState({ messages }: Binding, state: unknown): 'live' | 'preview' | null {
  if (state === undefined || state === null) return null;
  if (state === 'live' || state === 'preview') return state;
  throw messages.choice('publicationState', state, publicationStates);
}

/** Throws where drafts are guarded and the caller may not read them. */
function checkDrafts({ dialect, permissions }: Binding): void {
  if (dialect.guardsDrafts && !permissions.readsDrafts) {
    throw new ForbiddenError('Reading drafts takes the permission "draft"');
  }
}

function bindPublicationFilter(binding: Binding, name: unknown): PublicationFilter | null {
  if (name === undefined || name === null) return null;
  if (publicationFilters.includes(name as PublicationFilter)) {
    // whatever it leaves, it tells whether there are drafts
    checkDrafts(binding);
    return name as PublicationFilter;
  }
  throw binding.messages.choice('publicationFilter', name, publicationFilters);
}

function readPublishedFlag({ casts, messages }: Binding, value: unknown): boolean | null {
  if (value === undefined || value === null) return null;
  const isOtherWord = !casts.isStrict && !['true', 'false', true, false].includes(value as string);
  const flag = isOtherWord ? null : casts.flag(value);
  if (flag === null) throw messages.publishedFlag(value);
  return flag;
}

/** `hasPublishedVersion` is the older name for two of the filters; it does not count beside `publicationFilter`. */
function bindPublishedFlag(binding: Binding, isPublished: boolean): PublicationFilter {
  checkDrafts(binding);
  return isPublished ? 'has-published-version-document' : 'never-published-document';
}

/** Stands for a locale where a filter tells which are meant. */
const everyLocale = Symbol('every locale');

/** One locale, all (`*`, null), or in a list of entries several, which are a condition. */
function bindLocale(
  binding: Binding,
  type: EntryType,
  given: unknown,
  isList: boolean,
): { locale: string | null; condition: Condition | null } {
  const { defaultLocale, dialect, messages } = binding;
  const value = given === 'all' && dialect.callsEveryLocaleAll ? '*' : given;
  checkLocale(binding, value);
  if (!type.localized || value === everyLocale) return { locale: null, condition: null };
  // one document is asked for in one locale: "all" names none of its rows
  if (value === '*') return { locale: null, condition: isList ? null : matchNothing };
  if (value === undefined || value === null || value === '') return { locale: defaultLocale, condition: null };
  if (typeof value === 'string') return { locale: value, condition: null };
  if (!Array.isArray(value) || !value.every((code) => typeof code === 'string')) {
    throw messages.text('locale', value);
  }
  if (!isList) throw messages.severalLocales(value);
  const condition = {
    kind: 'value',
    attribute: 'locale',
    comparison: 'oneOf',
    operands: value,
    negated: false,
  } as const;
  return { locale: null, condition };
}

const listLocales = 'plugin::i18n.locales.listLocales';

/** Throws for a locale that the content does not have anywhere, where the dialect refuses what does not exist. */
function checkLocale({ dialect, locales, messages, permissions }: Binding, value: unknown): void {
  if (!dialect.refusesUnknown || value === undefined || value === everyLocale) return;
  for (const code of Array.isArray(value) ? value : [value]) {
    if (code === null || code === '' || code === '*') continue;
    if (typeof code !== 'string') throw messages.text('locale', value);
    if (!locales.has(code)) throw messages.locale(code, permissions.allows(listLocales) ? [...locales] : null);
  }
}

const numericTypes: ReadonlySet<ScalarType> = new Set(['integer', 'biginteger', 'float', 'decimal']);

/** `_q`: some text attribute holds it in whatever case, or the id does; if it is a number, also a number's digits. */
function searchCondition({ dialect, messages }: Binding, type: EntryType, value: unknown): Condition | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' && typeof value !== 'number') throw messages.text('_q', value);
  const text = String(value);
  const isNumber = !Number.isNaN(Number(text));
  const test = dialect.searchesWithWildcard && text.includes('_') ? 'matchesFolded' : 'containsFolded';
  const conditions: Condition[] = [];
  for (const attribute of type.attributes.values()) {
    if (!isScalar(attribute) || attribute.private) continue;
    const { name, type: scalar, searchable } = attribute;
    if (name === 'documentId' && !dialect.searchesDocumentId) continue;
    if (!searchable && !(dialect.searchesLocale && name === 'locale')) continue;
    const isSearched = comparisonKindOf(scalar) === 'text' || name === 'id' || (isNumber && numericTypes.has(scalar));
    if (isSearched) {
      conditions.push({ kind: 'value', attribute: name, comparison: test, operands: [text], negated: false });
    }
  }
  return { kind: 'any', conditions };
}

import { ForbiddenError, invalidKey, PaginationError, ValidationError } from '../errors.ts';
import { type EntryType, isScalar, type ScalarType } from '../schema/schema.ts';
import { comparisonOf } from '../schema/values.ts';
import { type PublicationFilter, publicationFilters } from '../store/publication.ts';
import { bindFields, select } from './bind-fields.ts';
import { bindFilters } from './bind-filters.ts';
import { bindPage } from './bind-page.ts';
import { bindPopulate } from './bind-populate.ts';
import { bindSort } from './bind-sort.ts';
import type { Binding } from './binding.ts';
import type { BoundQuery, Condition, Status } from './bound.ts';
import type { RawQuery } from './parse.ts';

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

/**
 * Resolves a query against the schema as the caller may see it, casts operands and sets defaults. It is the only
 * place that refuses a query: what it returns can be answered (but for the size of the answer).
 */
export function bind(binding: Binding, type: EntryType, query: RawQuery): BoundQuery {
  if (binding.dialect.refusesUnknownParameters) {
    const key = Object.keys(query).find((name) => !parameters.has(name));
    if (key !== undefined) throw invalidKey(key, key, null);
  } else if (['page', 'pageSize', 'start', 'limit'].some((name) => query[name] !== undefined)) {
    throw new PaginationError(
      'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
    );
  }
  const filter = bindFilters(binding, type, query.filters);
  const sort = bindSort(binding, type, query.sort);
  const joins = filter !== null && leadsThroughRelation(filter);
  const fields = bindFields(type, query.fields, 'fields');
  const populate = bindPopulate(binding, type, query.populate);
  return {
    type: type.uid,
    filter: both(filter, searchCondition(type, query._q)),
    sort,
    selection: select(binding, type, fields, populate, joins ? sort : []),
    status: bindStatus(binding, query.status),
    publication: bindPublication(binding, query),
    locale: bindLocale(binding, type, query.locale),
    page: bindPage(binding, query.pagination),
  };
}

function leadsThroughRelation(condition: Condition): boolean {
  if (condition.kind === 'value') return false;
  return condition.kind === 'related' || condition.conditions.some(leadsThroughRelation);
}

function both(first: Condition | null, second: Condition | null): Condition | null {
  return first && second ? { kind: 'all', conditions: [first, second] } : (first ?? second);
}

/**
 * Anything but `published` asks for drafts. A type without drafts has one status, whatever is asked; but relations
 * follow the status, so it counts there too.
 */
function bindStatus(binding: Binding, value: unknown): Status {
  if (value === undefined || value === null || value === 'published') return 'published';
  checkDrafts(binding);
  return 'draft';
}

/** Throws where drafts are guarded and the caller may not read them. */
function checkDrafts({ dialect, permissions }: Binding): void {
  if (dialect.guardsDrafts && !permissions.readsDrafts) {
    throw new ForbiddenError('Reading drafts takes the permission "draft"');
  }
}

/** `hasPublishedVersion` is the older name for two of the filters; it does not count beside `publicationFilter`. */
function bindPublication(
  binding: Binding,
  { publicationFilter: name, hasPublishedVersion: flag }: RawQuery,
): PublicationFilter | null {
  if (name !== undefined && name !== null) {
    if (publicationFilters.includes(name as PublicationFilter)) {
      const tellsOfDrafts = !String(name).startsWith('has-published');
      if (tellsOfDrafts) checkDrafts(binding);
      return name as PublicationFilter;
    }
    throw new ValidationError(
      `Invalid value for 'publicationFilter'. Expected one of: ${publicationFilters.join(', ')}.`,
      { source: 'query', param: 'publicationFilter' },
    );
  }
  if (flag === undefined || flag === null) return null;
  if (typeof flag === 'object' || !['true', 'false'].includes(String(flag))) {
    throw new ValidationError("Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.");
  }
  if (String(flag) === 'true') return 'has-published-version';
  checkDrafts(binding);
  return 'never-published';
}

function bindLocale(binding: Binding, type: EntryType, value: unknown): string | null {
  if (value !== undefined && value !== null && typeof value !== 'string') throw invalidParameter('locale', 'a text');
  if (!type.localized || value === '*') return null;
  return value || binding.defaultLocale;
}

function invalidParameter(param: string, expected: string): ValidationError {
  const place = { key: param, path: null, source: 'query', param };
  return new ValidationError(`The ${param} parameter must be ${expected}`, place);
}

const numericTypes: ReadonlySet<ScalarType> = new Set(['integer', 'biginteger', 'float', 'decimal']);

/** `_q`: some text attribute holds it in whatever case, or the id does; if it is a number, also a number's digits. */
function searchCondition(type: EntryType, value: unknown): Condition | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' && typeof value !== 'number') throw invalidParameter('_q', 'a text');
  const text = String(value);
  const isNumber = !Number.isNaN(Number(text));
  const conditions: Condition[] = [];
  for (const attribute of type.attributes.values()) {
    if (!isScalar(attribute) || attribute.private || !attribute.searchable) continue;
    const { name, type: scalar } = attribute;
    const isSearched = comparisonOf(scalar) === 'text' || name === 'id' || (isNumber && numericTypes.has(scalar));
    if (isSearched) {
      conditions.push({ kind: 'value', attribute: name, test: 'containsFolded', operands: [text], negated: false });
    }
  }
  return { kind: 'any', conditions };
}

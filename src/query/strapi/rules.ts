/** How a recorded Strapi reads a query, except for `populate`. */
import { PaginationError, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { isLocalizations, isPolymorphic, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import { pageNames } from '../bind/bind-page.ts';
import { everyVersion, leadsThroughRelation, matchNothing, type Page } from '../bound.ts';
import type { Comparison } from '../operators.ts';
import {
  everyLocale,
  type FilterPolicy,
  type PagePolicy,
  type RequestPolicy,
  type SelectedRows,
  type SelectionPolicy,
  type VersionPolicy,
} from '../policies.ts';
import { commonParameters, readFieldNames, readPublicationState, withoutAlias } from '../shared-readers.ts';
import type { RootPageNode } from '../syntax/parameter-nodes.ts';
import { textOf } from '../syntax/parse.ts';
import { type QueryTree, treeParameters } from '../syntax/query-tree.ts';
import { strapiCasts } from './casts.ts';
import { checkFilterNames, checkSortNames } from './check-names.ts';
import { strapiErrors } from './errors.ts';
import { readLongLists } from './populate.ts';
import { rejectUnanswerableFilters, rejectUnanswerableSort } from './reject-unanswerable.ts';

const internalParameter = 'lookup';

/** Unknown parameters are ignored, and wrong names are reported before wrong values. */
export const strapiRequest: RequestPolicy = {
  parameters: new Set([...commonParameters, 'start', 'limit']),
  readLongLists,
  checkParameters: () => {},
  ignoresUnknownParameters: true,
  ignores: (name) => !treeParameters.has(name) && name !== internalParameter,
  checkFilterNames,
  checkSortNames,
  readsIdOnly: () => false,
  // a locale in the filters replaces the parameter, and the documentId of the path that of the filters
  resolveConflicts({ type, namesDocument }, tree) {
    rejectLookup(tree);
    const { filters, locale } = tree;
    if (filters.kind !== 'group') return { filters, locale };
    const hasLocale = filters.members.some(({ key, value }) => key === 'locale' && value.raw !== undefined);
    const members = filters.members.filter(({ key }) => key !== 'documentId');
    return {
      filters: namesDocument ? { ...filters, members } : filters,
      locale: type.localized && hasLocale ? everyLocale : locale,
    };
  },
  checkAnswerable({ schema, policies: { database } }, type, filters, sort) {
    const { columnsAreTyped } = database;
    if (columnsAreTyped) rejectUnanswerableSort(sort);
    rejectUnanswerableFilters({ schema, columnsAreTyped }, type, filters);
  },
};

/** In Strapi 4, where the path has the id of a row, of filters and sort only the names count. */
export const strapi4Request: RequestPolicy = {
  ...strapiRequest,
  parameters: new Set([...strapiRequest.parameters, 'publicationState']),
  readLongLists: () => null,
  readsIdOnly: ({ namesRow }) => namesRow,
  resolveConflicts(_route, tree) {
    rejectLookup(tree);
    return tree;
  },
};

/** Throws for the parameter `lookup`, which is internal to Strapi. */
function rejectLookup({ parameters }: QueryTree): void {
  if (parameters.some(({ param, raw }) => param === internalParameter && raw)) {
    throw new ValidationError(`Invalid params: '${internalParameter}'`);
  }
}

/**
 * Null among the items is ignored. An item of a list holds no commas, and a star has no blanks around it. Beside
 * fields, a polymorphic relation to one entry is null, and one that is seen from its other side finds nothing: their
 * columns are not read.
 */
export const strapiSelection: SelectionPolicy = {
  reportsPrivateLast: true,
  readFields({ items, isList }) {
    const texts = items.filter((item) => item !== null);
    if (!texts.every((item) => typeof item === 'string')) return null;
    const parts = texts.flatMap((item) => item.split(','));
    const names = parts.filter((name) => name !== '*').map((name) => name.trim());
    return { names, hasStar: names.length < parts.length, isMalformed: isList && parts.length > texts.length };
  },
  // Strapi wraps a sort through a relation in an outer query, which does not select the sort columns
  fieldsAddedBySort(rows) {
    const { sort } = rows;
    return joinsTables(rows) && sort.every(({ path }) => path.length === 1) ? sort.map(({ path }) => path[0]) : [];
  },
  populatedBesideFields(type, populate) {
    return populate.map((populated) => {
      const attribute = type.attributes.get(populated.attribute)!;
      const isLost = isPolymorphic(attribute) && attribute.kind === 'polymorphic' && !attribute.many;
      return isLost ? { ...populated, targets: {} } : populated;
    });
  },
  filterBesideFields: ({ schema, attribute, filter }) =>
    attribute && isForeignKey(schema, attribute) ? matchNothing : filter,
};

/** Strapi 4 reads commas and blanks everywhere, and serves every relation beside fields. */
export const strapi4Selection: SelectionPolicy = {
  ...strapiSelection,
  readFields: ({ items }) => readFieldNames(items.filter((item) => item !== null)),
  populatedBesideFields: (_type, populate) => populate,
  filterBesideFields: ({ filter }) => filter,
};

/** Returns whether Strapi's SQL joins other tables to the rows. */
function joinsTables({ schema, attribute, filter }: SelectedRows): boolean {
  if (attribute && !isLocalizations(attribute)) return !isForeignKey(schema, attribute);
  return filter !== null && leadsThroughRelation(filter);
}

/**
 * Returns whether the attribute is the inverse of a polymorphic relation to one entry. Its rows hold a foreign key, so
 * Strapi joins no table to find them.
 */
function isForeignKey(schema: Schema, attribute: LinkAttribute): boolean {
  if (isPolymorphic(attribute) || !attribute.fromPolymorphic || attribute.inverse === null) return false;
  const owner = schema.type(attribute.target).attributes.get(attribute.inverse);
  return owner?.kind === 'polymorphic' && !owner.many;
}

/** The comparisons of JSON and blocks, which are made of their text. */
const jsonComparisons: ReadonlySet<Comparison> = new Set<Comparison>([
  'equal',
  'oneOf',
  'equalFolded',
  'containsFolded',
  'startsWithFolded',
  'endsWithFolded',
]);

/**
 * Filters also lead through media, negation moves into relations, and `_` is a wildcard in `_q`. Through localizations
 * filters and sorts see all rows of the document, drafts and the row itself included.
 */
export const strapiFilter: FilterPolicy = {
  countsAsAbsent: ({ raw }, { param }) => raw === '' && param === 'populate',
  leadsThrough: () => true,
  boundName: (attribute) => (isLocalizations(attribute) ? everyVersion : attribute.name),
  negatesAsAntiJoin: () => false,
  comparesJson: ({ type }, comparison) => type !== 'array' && jsonComparisons.has(comparison),
  searchComparison: (text) => (text.includes('_') ? 'matchesFolded' : 'containsFolded'),
  isSearched: ({ name, searchable }) => searchable || name === 'locale',
};

/** Strapi 4 does not see all rows of the document through localizations. */
export const strapi4Filter: FilterPolicy = {
  ...strapiFilter,
  boundName: ({ name }) => name,
  // the ids of documents are generated when the content is loaded, so nobody has seen them
  isSearched: (attribute) => attribute.name !== 'documentId' && strapiFilter.isSearched(attribute),
};

/** Ignores unknown keys, and a `pagination` that is no object. A size that is no number is the maximum. */
export const strapiPage: PagePolicy = {
  pagingOfUnpagedRoute: () => bindRoot,
  checksUnused: false,
  checkRootPage({ page, pageSize }) {
    if (page.raw !== undefined || pageSize.raw !== undefined) throw misplacedPage();
  },
  readMembers: ({ members }) => members ?? {},
  checkNumber: () => {},
  isMaximum: () => false,
};

/** In Strapi 4 a limit of -1 is the maximum. */
export const strapi4Page: PagePolicy = { ...strapiPage, isMaximum: (limit) => limit === -1 };

/**
 * Binds `start` and `limit` at the root, also for one entry, which a start above 0 does not find. `maxLimit` does not
 * apply. A limit of 0, -1 or none returns all entries. Page numbers are checked and ignored.
 */
function bindRoot(root: RootPageNode): Page {
  const has = (name: keyof RootPageNode) => root[name].kind !== 'empty';
  if ((has('page') || has('pageSize')) && (has('start') || has('limit'))) throw misplacedPage();
  for (const name of pageNames) {
    const { raw } = root[name];
    if (raw === undefined || raw === null) continue;
    const number = Number(printed(raw));
    if (Number.isInteger(number) && number > 0) continue;
    throw new PaginationError(`Invalid '${name}' parameter. Expected an integer > 0, received: ${printed(raw)}`);
  }
  const read = (name: 'start' | 'limit', minimum: number) => {
    const node = root[name];
    if (node.kind === 'empty') return 0;
    const number = Number(printed(node.raw));
    if (Number.isSafeInteger(number) && number >= minimum) return number;
    throw strapiErrors.wrongPageNumber(name, node.raw, number);
  };
  const start = read('start', 0);
  const limit = read('limit', -1);
  return { mode: 'offset', start, limit: limit > 0 ? limit : Number.MAX_SAFE_INTEGER, withCount: true };
}

function misplacedPage(): PaginationError {
  return new PaginationError(
    'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
  );
}

/** Returns a value as Strapi prints it and reads a number from it. */
function printed(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (item === null ? '' : printed(item))).join(',');
  return isPlainObject(value) ? '[object Object]' : textOf(value);
}

/** Every status but `published` asks for drafts, and a locale that does not exist finds nothing. */
export const strapiVersion: VersionPolicy = {
  publicationState: () => null,
  checkStatus: () => {},
  statusOfPlugins: null,
  drafts: 'draft',
  checkDrafts: () => {},
  publishedFlag: (value) => (['true', 'false', true, false].includes(value as string) ? strapiCasts.flag(value) : null),
  readLocale: (_context, locale) => locale,
};

/** Strapi 4 reads `publicationState`, knows every locale as `all`, and shows drafts beside published rows. */
export const strapi4Version: VersionPolicy = {
  ...strapiVersion,
  publicationState: (node) => readPublicationState(node, strapiErrors),
  drafts: null,
  readLocale: (_context, locale) => withoutAlias(locale),
};

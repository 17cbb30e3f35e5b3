/** The strict rules of the specification, except for `populate`. */
import { ForbiddenError } from '../../core/errors.ts';
import { dateOf } from '../../model/schema/calendar.ts';
import { offsetNames, pageNames } from '../bind/bind-page.ts';
import { type CastPolicy, parseBoolean } from '../bind/cast.ts';
import type { BindingContext } from '../bind/context.ts';
import {
  everyLocale,
  type FilterPolicy,
  type LocaleNode,
  type PagePolicy,
  type RequestPolicy,
  type SelectionPolicy,
  type SortPolicy,
  type UnresolvedSortKey,
  type VersionPolicy,
} from '../policies.ts';
import {
  readFieldNames,
  readPublicationState,
  readSortKeys,
  type SortReader,
  withoutAlias,
} from '../shared-readers.ts';
import { type SortListNode, type SortObjectNode, type SortText, sortEntries } from '../syntax/sort-nodes.ts';
import {
  documentErrors as errors,
  unknownLocale,
  unknownPaginationKey,
  unknownParameter,
  wrongPagination,
} from './errors.ts';

/** Names and values are checked while they are bound. */
export function documentRequest(parameters: ReadonlySet<string>): RequestPolicy {
  return {
    parameters,
    readLongLists: () => null,
    checkParameters(given) {
      const unknown = given.find(({ param }) => !parameters.has(param));
      if (unknown) throw unknownParameter(unknown, parameters);
    },
    ignoresUnknownParameters: false,
    ignores: () => false,
    checkFilterNames: () => {},
    checkSortNames: () => {},
    readsIdOnly: () => false,
    resolveConflicts: (_route, tree) => tree,
    checkAnswerable: () => {},
  };
}

/** Serves exactly what was asked for. */
export const documentSelection: SelectionPolicy = {
  reportsPrivateLast: false,
  readFields: ({ items }) => readFieldNames(items),
  fieldsAddedBySort: () => [],
  populatedBesideFields: (_type, populate) => populate,
  filterBesideFields: ({ filter }) => filter,
};

/** Filters and sorts lead through relations and components; JSON and blocks are only tested for null. */
export const documentFilter: FilterPolicy = {
  countsAsAbsent: () => false,
  leadsThrough: ({ kind }) => kind !== 'media',
  boundName: ({ name }) => name,
  negatesAsAntiJoin: ({ many }) => many,
  comparesJson: () => false,
  searchComparison: () => 'containsFolded',
  isSearched: ({ searchable }) => searchable,
};

/** The documentIds of content of Strapi 4 are generated when it is loaded, so nobody has seen them. */
export const document4Filter: FilterPolicy = {
  ...documentFilter,
  isSearched: ({ name, searchable }) => name !== 'documentId' && searchable,
};

/** Reads every key. Only keys without a name and an order are left out. */
export const documentSort: SortPolicy = {
  read: (_schema, _type, sort, part) => readSortKeys(sort, part, reader),
};

const reader: SortReader = { errors, readText, readObject: (node) => readObject(node, []) };

function readText({ text, path, orders }: SortText): UnresolvedSortKey[] {
  if (path === '' && orders.length === 0) return [];
  return [{ names: path.split('.'), order: orders.length === 0 ? undefined : orders.join(':'), text }];
}

function readObject(node: SortObjectNode | SortListNode, names: readonly string[]): UnresolvedSortKey[] {
  return sortEntries(node).flatMap(([key, value]) => {
    const path = [...names, ...key.split('.')];
    if (value.kind === 'object' || value.kind === 'list') return readObject(value, path);
    return [{ names: path, order: value.raw }];
  });
}

const names: ReadonlySet<string> = new Set([...pageNames, ...offsetNames, 'withCount']);

/** Every key must exist, and every number must be whole. */
export const documentPage: PagePolicy = {
  pagingOfUnpagedRoute: (isList) => (isList ? 'pagination' : 'none'),
  checksUnused: true,
  // such parameters do not exist
  checkRootPage: () => {},
  readMembers(node) {
    const { members } = node;
    if (members === null) throw wrongPagination(node);
    const key = Object.keys(members).find((name) => !names.has(name));
    if (key !== undefined) throw unknownPaginationKey(key, names, members[key]);
    return members;
  },
  checkNumber(name, value, number) {
    if (!isWhole(value)) throw errors.wrongPageNumber(name, value, number);
  },
  isMaximum: () => false,
};

/** Returns whether a value is a whole number, or decimal digits. */
function isWhole(value: unknown): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d+$/.test(value);
}

const statuses = ['published', 'draft'];

/** A status and a locale must exist, and drafts take a permission of their own. */
export const documentVersion: VersionPolicy = {
  publicationState: () => null,
  checkStatus(status) {
    const { raw } = status;
    if (raw !== undefined && !statuses.includes(raw as string)) throw errors.unknownChoice(status, statuses);
  },
  statusOfPlugins: 'published',
  drafts: 'draft',
  checkDrafts(permissions) {
    if (!permissions.readsDrafts) throw new ForbiddenError('Reading drafts takes the permission "draft"');
  },
  publishedFlag: (value) => documentCasts.flag(value),
  readLocale(context, locale) {
    checkLocale(context, locale);
    return locale;
  },
};

/** Clients of content of Strapi 4 also ask for `publicationState`, and for every locale as `all`. */
export const document4Version: VersionPolicy = {
  ...documentVersion,
  publicationState: (node) => readPublicationState(node, errors),
  drafts: null,
  readLocale: (context, locale) => documentVersion.readLocale(context, withoutAlias(locale)),
};

const listLocales = 'plugin::i18n.locales.listLocales';

/** Throws for a locale that the content has nowhere. */
function checkLocale({ locales, permissions }: BindingContext, node: LocaleNode): void {
  if (node === everyLocale || node.kind === 'empty') return;
  for (const code of node.kind === 'list' ? node.raw : [node.raw]) {
    if (code === null || code === '' || code === '*') continue;
    if (typeof code !== 'string') throw errors.notText(node);
    if (!locales.has(code)) throw unknownLocale(code, permissions.allows(listLocales) ? [...locales] : null);
  }
}

const parseAnyCase = (value: unknown) => parseBoolean(typeof value === 'string' ? value.toLowerCase() : value);

/** Accepts six words in any case as booleans, and plain dates and times. Everything else is a mistake. */
export const documentCasts: CastPolicy = {
  looseId: null,
  jsonAsWritten: false,
  isAbsent: (value) => value === undefined,
  flag: parseAnyCase,
  boolean: parseAnyCase,
  endsDate: (rest) => rest === '' || /^[T ]/.test(rest),
  trimTime: (text) => text.trim(),
  instant: instantOf,
};

/** Reads a number of milliseconds, or an ISO date or datetime. Without a zone it is in UTC. */
function instantOf(text: string): number | null {
  if (/^-?\d{1,16}$/.test(text)) return Number(text);
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/.exec(text);
  if (!parts || dateOf(parts[1]) === undefined) return null;
  const zone = parts[3] === undefined ? 'Z' : parts[3].length === 3 ? `${parts[3]}:00` : parts[3];
  const milliseconds = Date.parse(parts[2] === undefined ? parts[1] : `${parts[1]}T${parts[2]}${zone}`);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

import { type Access, accessOf } from './access.ts';
import { type Filter, readFilter } from './filter.ts';
import { linksOf, shownVersion, type Versions } from './links.ts';
import { matches } from './matches.ts';
import { readPage } from './page.ts';
import { readFields, readRootPopulate } from './populate.ts';
import type { Selection } from './selection.ts';
import { type Serving, serve } from './serve.ts';
import { type Dialect, type Expected, isObject, Refused, type Request, Unspecified } from './snapshot.ts';
import { ownNames, readSort, type SortKey, sorted } from './sort.ts';
import type { Type } from './types.ts';
import type { Row, World } from './world.ts';

/**
 * The reply to one read, by the documents alone: `content-rest-api.md`, `behaviour.md` and the recordings.
 * Throws `Unspecified` for a request that they do not settle.
 */
export function evaluate(world: World, dialect: Dialect, request: Request): Expected {
  try {
    return { status: 200, body: answer(world, dialect, request) };
  } catch (error) {
    if (error instanceof Refused) return { status: error.status };
    throw error;
  }
}

function parametersOf({ features }: World): string[] {
  const parameters = ['filters', 'fields', 'populate', 'sort', 'pagination', 'status', 'locale'];
  if (features.has('fallbackLocale')) parameters.push('fallbackLocale');
  if (features.has('languageAware')) parameters.push('language');
  return parameters;
}

function answer(world: World, dialect: Dialect, request: Request): unknown {
  const access = accessOf(world, request.role);
  const isForbidden = dialect === 'document' && request.query.status === 'draft' && !access.may('draft');
  try {
    const body = readableAnswer(world, dialect, request, access);
    if (!isForbidden) return body;
  } catch (error) {
    if (!isForbidden || !(error instanceof Refused) || error.status === 403) throw error;
    if (error.status === 400) throw new Unspecified('a mistake in a query for drafts that are forbidden');
  }
  throw new Refused(403, 'Forbidden');
}

/** The answer, but for the permission to read drafts. */
function readableAnswer(world: World, dialect: Dialect, request: Request, access: Access): unknown {
  const { query, documentId } = request;
  const type = routedType(world, request.name);
  const one = documentId !== undefined;
  if (!access.may(`${type.uid}.${one ? 'findOne' : 'find'}`)) throw new Refused(403, 'Forbidden');
  if (query.status !== undefined && query.status !== 'draft' && query.status !== 'published') {
    if (dialect === 'document') throw new Refused(400, `status ${String(query.status)}`);
    throw new Unspecified(`status ${String(query.status)}`);
  }
  if (dialect === 'document' && query.locale !== undefined && query.locale !== '*') {
    if (!world.locales.has(query.locale)) throw new Refused(400, `locale ${String(query.locale)}`);
  }
  const status = query.status === 'draft' ? 'draft' : 'published';
  if (dialect === 'document') {
    for (const key of Object.keys(query)) {
      if (!parametersOf(world).includes(key)) throw new Refused(400, `Invalid parameter ${key}`);
    }
  }
  const versions: Versions = { status, locales: readLocales(world, dialect, query) };
  const links = linksOf(world, dialect, versions);
  const serving: Serving = { world, dialect, access, language: readLanguage(world, query), links };
  const selection: Selection = {
    fields: readFields(type, query.fields),
    populate: readRootPopulate(serving, type, query.populate),
  };
  // the recorded server takes a locale at the top of the filters in place of the parameter
  const namesLocale = dialect === 'strapi' && isObject(query.filters) && 'locale' in query.filters;
  const locale = namesLocale ? '*' : query.locale;
  const rows = world.rows[type.uid]!.filter((row) => {
    if (versions.locales !== null && type.localized) return shownVersion(world, row, versions) === row;
    return isVisible(world, type, row, status, locale);
  });
  if (one || type.kind === 'singleType') {
    for (const key of ['filters', 'sort', 'pagination']) {
      if (query[key] !== undefined) throw new Unspecified(`${key} on one entry`);
    }
    if (type.localized && query.locale === '*') throw new Refused(404, 'Not Found');
    const row = rows.find((candidate) => !one || candidate.documentId === documentId);
    if (!row) throw new Refused(404, 'Not Found');
    return { data: serve(serving, [row], selection)[0], meta: {} };
  }
  const filter = query.filters === undefined ? null : readFilter(serving, type, query.filters);
  const found = filter ? rows.filter((row) => matches(filter, row, links)) : rows;
  const sort = query.sort === undefined ? [] : readSort(serving, type, query.sort);
  const ordered = sorted(found, sort, links);
  if (dialect === 'strapi' && selection.fields) selection.fields.push(...alsoServed(selection.fields, filter, sort));
  const page = readPage(query.pagination, dialect);
  return {
    data: serve(serving, ordered.slice(page.start, page.start + page.limit), selection),
    meta: { pagination: page.meta(found.length) },
  };
}

function routedType(world: World, name: string): Type {
  for (const type of Object.values(world.types)) {
    if (type.kind === 'singleType' ? type.singularName === name : type.pluralName === name) return type;
  }
  throw new Refused(404, 'Not Found');
}

/** The locales that `locale` and `fallbackLocale` name, in their order; null without the latter. */
function readLocales(world: World, dialect: Dialect, query: Request['query']): string[] | null {
  if (!world.features.has('fallbackLocale') || query.fallbackLocale === undefined) return null;
  const given = query.fallbackLocale;
  const fallbacks = typeof given === 'string' ? given.split(',') : given;
  if (!Array.isArray(fallbacks) || fallbacks.length === 0) throw new Refused(400, 'fallbackLocale takes locales');
  if (query.locale === '*' || fallbacks.includes('*')) throw new Refused(400, '* has no fallback');
  const locales = [query.locale ?? world.defaultLocale, ...fallbacks];
  for (const locale of locales) {
    if (typeof locale !== 'string') throw new Refused(400, 'a locale is text');
    if (dialect === 'document' && !world.locales.has(locale)) throw new Refused(400, `locale ${locale}`);
  }
  return locales as string[];
}

/** The `language` parameter. */
function readLanguage(world: World, { language }: Request['query']): string | null {
  if (!world.features.has('languageAware') || language === undefined) return null;
  try {
    if (typeof language !== 'string' || Intl.getCanonicalLocales(language).length !== 1) throw new RangeError();
  } catch {
    throw new Refused(400, `language ${String(language)}`);
  }
  return language;
}

/** Types without drafts or locales ignore the parameter. */
function isVisible(world: World, type: Type, row: Row, status: string, locale: unknown): boolean {
  if (type.drafts && row.status !== status) return false;
  if (!type.localized || locale === '*') return true;
  return row.locale === (locale ?? world.defaultLocale);
}

/**
 * The attributes sorted by that the recorded server serves beside the named fields: all, if the filter joins another
 * table. What a sort that joins one does to them is not recorded.
 */
function alsoServed(fields: string[], filter: Filter | null, sort: SortKey[]): string[] {
  const names = ownNames(sort).filter((name) => !['id', 'documentId', ...fields].includes(name));
  if (names.length > 0 && sort.some((key) => key.path.length > 0)) {
    throw new Unspecified('fields beside a joining sort');
  }
  return filter && visitsRelated(filter) ? names : [];
}

function visitsRelated(filter: Filter): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.parts.some(visitsRelated);
  return filter.kind === 'not' ? visitsRelated(filter.part) : filter.kind === 'related';
}

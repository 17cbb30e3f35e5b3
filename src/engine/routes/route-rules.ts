/** What each kind of route means for its query. */
import { ValidationError } from '../../core/errors.ts';
import type { EntryType } from '../../model/schema/schema.ts';
import type { CastPolicy } from '../../query/bind/cast.ts';
import type { BoundQuery } from '../../query/bound.ts';
import type { PagePolicy, RouteContext } from '../../query/policies.ts';
import type { RawQuery } from '../../query/syntax/parse.ts';
import type { QueryTree } from '../../query/syntax/query-tree.ts';
import type { RowKey } from '../bound-request.ts';
import type { QueryRoute } from './routes.ts';

/** Returns how a route's query is bound. */
export function contextOf(route: QueryRoute, type: EntryType, page: PagePolicy): RouteContext {
  const entry: RouteContext = {
    type,
    paging: page.pagingOfUnpagedRoute(false),
    takesSeveralLocales: false,
    hasFacets: false,
    checksAnswerable: true,
    namesDocument: false,
    namesRow: false,
    isPluginType: !route.uid.startsWith('api::'),
  };
  switch (route.kind) {
    case 'list': {
      if (route.form === 'bare') return { ...entry, checksAnswerable: false, paging: page.pagingOfUnpagedRoute(true) };
      return {
        ...entry,
        checksAnswerable: false,
        takesSeveralLocales: true,
        hasFacets: route.form === 'page',
        paging: 'pagination',
      };
    }
    case 'document':
      return { ...entry, namesDocument: true, namesRow: route.key === 'id' };
    case 'entry':
      return route.onlyPopulates ? { ...entry, checksAnswerable: false, paging: 'none' } : entry;
    case 'single':
    case 'me':
    case 'count':
      return entry;
    default:
      throw new Error(`unknown route ${JSON.stringify(route satisfies never)}`);
  }
}

/** Returns the query that has an effect on a route. */
export function effectiveQuery(route: QueryRoute, query: RawQuery): RawQuery {
  return (route.kind === 'list' || route.kind === 'entry') && route.ignoresQuery ? {} : query;
}

/** Returns whether the reply lists all entries. `tree` is the effective query. */
export function listsAll(route: QueryRoute, { paging }: RouteContext, tree: QueryTree): boolean {
  if (route.kind !== 'list') return false;
  if (route.ignoresQuery || route.form === 'whole') return true;
  return route.form === 'bare' && paging === 'pagination' && tree.pagination === null;
}

/** Returns the part of a bound query that a route answers. The whole query has been checked. */
export function answeredQuery(route: QueryRoute, query: BoundQuery): BoundQuery {
  if (route.kind !== 'entry' || !route.onlyPopulates) return query;
  return { ...query, filter: null, folder: undefined, sort: [], selection: { ...query.selection, fields: null } };
}

type LooseId = CastPolicy['looseId'];

/**
 * Returns the entry that a path or a JWT names. Throws a ValidationError for an id that is not a whole number, unless
 * `looseId` makes one of any text.
 */
export function rowKeyOf(route: QueryRoute, userId: number | null, looseId: LooseId = null): RowKey | null {
  switch (route.kind) {
    case 'document': {
      const { key, identifier } = route;
      return { attribute: key, operand: key === 'id' ? Number(identifier) : identifier };
    }
    case 'entry':
      return { attribute: 'id', operand: readId(route.identifier, looseId) };
    case 'me':
      return { attribute: 'id', operand: userId! };
    case 'list':
    case 'single':
    case 'count':
      return null;
    default:
      throw new Error(`unknown route ${JSON.stringify(route satisfies never)}`);
  }
}

function readId(text: string, looseId: LooseId): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  if (looseId) return looseId(text);
  const details = { key: 'id', path: null, source: 'params', param: 'id', value: text };
  throw new ValidationError(`Invalid id ${text}: a whole number is expected`, details);
}

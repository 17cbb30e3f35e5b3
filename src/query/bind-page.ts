import { invalidKey, PaginationError, ValidationError } from '../errors.ts';
import type { Binding } from './binding.ts';
import type { Page } from './bound.ts';
import { readSwitch } from './cast.ts';
import type { RawQuery } from './parse.ts';
import { isGroup, textOf } from './raw-value.ts';

/**
 * Where a route looks for its window: in `pagination`, in `start` and `limit` of the root (bounded by nothing, and for
 * one entry too: with a start there is none), or nowhere.
 */
export type Paging = 'pagination' | 'root' | 'none';

const names = new Set(['page', 'pageSize', 'start', 'limit', 'withCount']);

/** The window that a query asks for. */
export function bindPage(binding: Binding, query: RawQuery, paging: Paging): Page {
  if (paging === 'root') return bindRoot(query);
  if (paging === 'none') return bindPagination(binding, undefined);
  if (query.page !== undefined || query.pageSize !== undefined) throw misplacedPage();
  return bindPagination(binding, query.pagination);
}

function misplacedPage(): PaginationError {
  return new PaginationError(
    'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
  );
}

/** Page numbers are checked here, and say nothing. Without a limit, or with one of 0 or -1, there is none. */
function bindRoot(query: RawQuery): Page {
  const has = (name: string) => query[name] !== undefined && query[name] !== null;
  if ((has('page') || has('pageSize')) && (has('start') || has('limit'))) throw misplacedPage();
  for (const name of ['page', 'pageSize']) {
    const text = printed(query[name]);
    if (query[name] === undefined || /^[1-9]\d*$/.test(text)) continue;
    throw new PaginationError(`Invalid '${name}' parameter. Expected an integer > 0, received: ${text}`);
  }
  const number = (name: string) => readNumber(Array.isArray(query[name]) ? query[name][0] : query[name]);
  const start = has('start') ? whole(number('start'), 'Start') : 0;
  if (start < 0) throw notPositive(start, 'Start');
  const limit = has('limit') ? whole(number('limit'), 'Limit') : 0;
  if (limit < -1) throw notPositive(limit, 'Limit');
  return { mode: 'offset', start, limit: limit > 0 ? limit : Number.MAX_SAFE_INTEGER, withCount: true };
}

/** As the recorded service prints it. */
function printed(value: unknown): string {
  return isGroup(value) ? '[object Object]' : textOf(value);
}

/**
 * Binds `pagination`. A page before the first is the first; a size below one is one, above the largest the largest.
 */
function bindPagination(binding: Binding, value: unknown): Page {
  const { defaultLimit, maxLimit, dialect } = binding;
  const given = readObject(value, dialect.toleratesPagination);
  const has = (name: string) => given[name] !== undefined && given[name] !== null;
  if ((has('page') || has('pageSize')) && (has('start') || has('limit'))) {
    throw new PaginationError('Cannot use both page & offset pagination in the same query');
  }
  const withCount = has('withCount') ? readSwitch(given.withCount) : true;
  if (withCount === null) {
    throw new ValidationError('Invalid withCount parameter. Expected "t","1","true","false","0","f"');
  }
  const readLimit = (limit: unknown) => {
    const number = readNumber(limit);
    if (Number.isNaN(number) && dialect.toleratesPagination) return maxLimit;
    return Math.min(Math.max(whole(number, 'Limit'), 1), maxLimit);
  };
  if (has('start') || has('limit')) {
    const asksForMost = dialect.takesMinusOneForMost && has('limit') && readNumber(given.limit) === -1;
    const limit = asksForMost ? maxLimit : has('limit') ? readLimit(given.limit) : defaultLimit;
    const start = has('start') ? Math.max(whole(readNumber(given.start), 'Start'), 0) : 0;
    return { mode: 'offset', start, limit, withCount };
  }
  const limit = has('pageSize') ? readLimit(given.pageSize) : defaultLimit;
  const page = has('page') ? readNumber(given.page) : 1;
  const start = whole((Math.max(page, 1) - 1) * limit, 'Start');
  return { mode: 'page', start, limit, withCount };
}

function readObject(value: unknown, tolerates: boolean): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (tolerates) return isGroup(value) ? value : {};
  const place = { source: 'query', param: 'pagination' };
  if (!isGroup(value)) throw new ValidationError('The pagination parameter must be an object', place);
  const key = Object.keys(value).find((name) => !names.has(name));
  if (key !== undefined) throw invalidKey('pagination', key, null);
  return value as Record<string, unknown>;
}

/** The number that a text stands for, nothing being zero; NaN for what is none. */
function readNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

function whole(number: number, what: 'Start' | 'Limit'): number {
  if (Number.isSafeInteger(number)) return number;
  throw notPositive(number, what);
}

function notPositive(number: number, what: 'Start' | 'Limit'): ValidationError {
  return new ValidationError(`convert${what}QueryParams expected a positive integer got ${number}`);
}

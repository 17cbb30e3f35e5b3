import { PaginationError } from '../../base/errors.ts';
import type { Page } from '../bound.ts';
import type { RawQuery } from '../syntax/parse.ts';
import { isPlainObject, textOf } from '../syntax/raw-value.ts';
import type { Binding } from './binding.ts';

/**
 * Where a route looks for its window: in `pagination`, in `start` and `limit` of the root (bounded by nothing, and for
 * one entry too: with a start there is none), or nowhere.
 */
export type Paging = 'pagination' | 'root' | 'none';

const pageNames = ['page', 'pageSize'];
const offsetNames = ['start', 'limit'];
const names = new Set([...pageNames, ...offsetNames, 'withCount']);

/** The window that a query asks for. */
export function bindPage(binding: Binding, query: RawQuery, paging: Paging): Page {
  if (paging === 'root') return bindRoot(binding, query);
  if (paging === 'none') {
    // it decides nothing here, but a mistake in it is one
    if (binding.casts.isStrict) bindPagination(binding, query.pagination);
    return bindPagination(binding, undefined);
  }
  if (query.page !== undefined || query.pageSize !== undefined) throw misplacedPage();
  return bindPagination(binding, query.pagination);
}

function misplacedPage(): PaginationError {
  return new PaginationError(
    'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
  );
}

/** Page numbers are checked here, and say nothing. Without a limit, or with one of 0 or -1, there is none. */
function bindRoot(binding: Binding, query: RawQuery): Page {
  const has = (name: string) => query[name] !== undefined && query[name] !== null;
  if ((has('page') || has('pageSize')) && (has('start') || has('limit'))) throw misplacedPage();
  for (const name of ['page', 'pageSize']) {
    const text = printed(query[name]);
    if (query[name] === undefined || /^[1-9]\d*$/.test(text)) continue;
    throw new PaginationError(`Invalid '${name}' parameter. Expected an integer > 0, received: ${text}`);
  }
  const read = (name: string, least: number) => {
    if (!has(name)) return 0;
    const value = Array.isArray(query[name]) ? query[name][0] : query[name];
    const number = whole(binding, readNumber(value), name, value);
    if (number < least) throw binding.messages.window(name, value, number);
    return number;
  };
  const start = read('start', 0);
  const limit = read('limit', -1);
  return { mode: 'offset', start, limit: limit > 0 ? limit : Number.MAX_SAFE_INTEGER, withCount: true };
}

/** As the recorded service prints it. */
function printed(value: unknown): string {
  return isPlainObject(value) ? '[object Object]' : textOf(value);
}

/**
 * Binds `pagination`. A page before the first is the first, a start below zero is zero; a size below one is one, above
 * the largest the largest.
 */
function bindPagination(binding: Binding, value: unknown): Page {
  const { defaultLimit, maxLimit, dialect, messages, casts } = binding;
  const given = readObject(binding, value);
  const has = (name: string) => given[name] !== undefined && (given[name] !== null || casts.isStrict);
  const byPage = pageNames.find(has);
  const byOffset = offsetNames.find(has);
  if (byPage !== undefined && byOffset !== undefined) throw messages.mixedPagination(byPage, byOffset);
  const withCount = has('withCount') ? casts.flag(given.withCount) : true;
  if (withCount === null) throw messages.withCount(given.withCount);
  const read = (name: string): number => {
    const number = readNumber(given[name]);
    if (casts.isStrict && !isWhole(given[name])) throw messages.window(name, given[name], number);
    return number;
  };
  const readLimit = (name: string) => {
    const number = read(name);
    if (Number.isNaN(number)) return maxLimit;
    return Math.min(Math.max(whole(binding, number, name, given[name]), 1), maxLimit);
  };
  if (has('start') || has('limit')) {
    const asksForMost = dialect.takesMinusOneForMost && has('limit') && readNumber(given.limit) === -1;
    const limit = asksForMost ? maxLimit : has('limit') ? readLimit('limit') : defaultLimit;
    const start = has('start') ? Math.max(whole(binding, read('start'), 'start', given.start), 0) : 0;
    return { mode: 'offset', start, limit, withCount };
  }
  const limit = has('pageSize') ? readLimit('pageSize') : defaultLimit;
  const page = has('page') ? read('page') : 1;
  const start = whole(binding, (Math.max(page, 1) - 1) * limit, 'page', given.page);
  return { mode: 'page', start, limit, withCount };
}

function readObject({ dialect, messages }: Binding, value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (dialect.toleratesPagination) return isPlainObject(value) ? value : {};
  if (!isPlainObject(value)) throw messages.paginationForm(value);
  const key = Object.keys(value).find((name) => !names.has(name));
  if (key !== undefined) throw messages.paginationKey(key, names, value[key]);
  return value;
}

/** The number that a text stands for, nothing being zero; NaN for any other value. */
function readNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/** Whether a value is a whole number, or decimal digits. */
function isWhole(value: unknown): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d+$/.test(value);
}

function whole({ messages }: Binding, number: number, name: string, value: unknown): number {
  if (Number.isSafeInteger(number)) return number;
  throw messages.window(name, value, number);
}

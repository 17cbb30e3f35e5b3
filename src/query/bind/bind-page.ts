import { PaginationError } from '../../base/errors.ts';
import type { Page } from '../bound.ts';
import type { Paging } from '../policies.ts';
import type { RawQuery } from '../syntax/parse.ts';
import { isPlainObject, textOf } from '../syntax/raw-value.ts';
import type { Binding } from './binding.ts';

/** The keys of `pagination`. */
export const pageNames = ['page', 'pageSize'] as const;
export const offsetNames = ['start', 'limit'] as const;

/** Binds the page of a query. */
export function bindPage(binding: Binding, query: RawQuery, paging: Paging): Page {
  switch (paging) {
    case 'root':
      return bindRoot(binding, query);
    case 'none':
      if (binding.policies.page.checksUnused) bindPagination(binding, query.pagination);
      return bindPagination(binding, undefined);
    case 'pagination':
      if (query.page !== undefined || query.pageSize !== undefined) throw misplacedPage();
      return bindPagination(binding, query.pagination);
    default:
      return paging satisfies never;
  }
}

function misplacedPage(): PaginationError {
  return new PaginationError(
    'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
  );
}

/** Binds `start` and `limit`. Page numbers are checked and ignored. Without a limit, or with 0 or -1, there is none. */
function bindRoot(binding: Binding, query: RawQuery): Page {
  const has = (name: string) => query[name] !== undefined && query[name] !== null;
  if ((has('page') || has('pageSize')) && (has('start') || has('limit'))) throw misplacedPage();
  for (const name of pageNames) {
    const text = printed(query[name]);
    if (query[name] === undefined || /^[1-9]\d*$/.test(text)) continue;
    throw new PaginationError(`Invalid '${name}' parameter. Expected an integer > 0, received: ${text}`);
  }
  const read = (name: string, minimum: number) => {
    if (!has(name)) return 0;
    const value = Array.isArray(query[name]) ? query[name][0] : query[name];
    const number = whole(binding, readNumber(value), name, value);
    if (number < minimum) throw binding.policies.messages.window(name, value, number);
    return number;
  };
  const start = read('start', 0);
  const limit = read('limit', -1);
  return { mode: 'offset', start, limit: limit > 0 ? limit : Number.MAX_SAFE_INTEGER, withCount: true };
}

/** Returns a value as the recorded service prints it. */
function printed(value: unknown): string {
  return isPlainObject(value) ? '[object Object]' : textOf(value);
}

/** Binds `pagination`. Pages below 1, starts below 0 and sizes outside of 1 to the maximum are clamped. */
function bindPagination(binding: Binding, value: unknown): Page {
  const { defaultLimit, maxLimit, policies } = binding;
  const { casts, messages, page: policy } = policies;
  const given = value === undefined || value === null ? {} : policy.readObject(value);
  const has = (name: string) => !casts.isAbsent(given[name]);
  const byPage = pageNames.find(has);
  const byOffset = offsetNames.find(has);
  if (byPage !== undefined && byOffset !== undefined) throw messages.mixedPagination(byPage, byOffset);
  const withCount = has('withCount') ? casts.flag(given.withCount) : true;
  if (withCount === null) throw messages.withCount(given.withCount);
  const read = (name: string): number => {
    const number = readNumber(given[name]);
    policy.checkNumber(name, given[name], number);
    return number;
  };
  const readLimit = (name: string) => {
    const number = read(name);
    if (Number.isNaN(number)) return maxLimit;
    return Math.min(Math.max(whole(binding, number, name, given[name]), 1), maxLimit);
  };
  if (byOffset !== undefined) {
    const isMaximum = has('limit') && policy.isMaximum(readNumber(given.limit));
    const limit = isMaximum ? maxLimit : has('limit') ? readLimit('limit') : defaultLimit;
    const start = has('start') ? Math.max(whole(binding, read('start'), 'start', given.start), 0) : 0;
    return { mode: 'offset', start, limit, withCount };
  }
  const limit = has('pageSize') ? readLimit('pageSize') : defaultLimit;
  const page = has('page') ? read('page') : 1;
  const start = whole(binding, (Math.max(page, 1) - 1) * limit, 'page', given.page);
  return { mode: 'page', start, limit, withCount };
}

/** Parses a number. Returns zero for an empty text, and NaN for a value that is neither text nor number. */
function readNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

function whole({ policies }: Binding, number: number, name: string, value: unknown): number {
  if (Number.isSafeInteger(number)) return number;
  throw policies.messages.window(name, value, number);
}

import type { Page } from '../bound.ts';
import type { Binding, Paging } from '../policies.ts';
import type { PaginationNode, RootPageNode } from '../syntax/parameter-nodes.ts';

/** The keys of `pagination`. */
export const pageNames = ['page', 'pageSize'] as const;
export const offsetNames = ['start', 'limit'] as const;

/** The part of a query that chooses a page. */
interface PageNodes {
  readonly rootPage: RootPageNode;
  readonly pagination: PaginationNode | null;
}

/** Binds the page of a query. */
export function bindPage(binding: Binding, { rootPage, pagination }: PageNodes, paging: Paging): Page {
  if (typeof paging === 'function') return paging(rootPage);
  switch (paging) {
    case 'none':
      if (binding.policies.page.checksUnused) bindPagination(binding, pagination);
      return bindPagination(binding, null);
    case 'pagination':
      binding.policies.page.checkRootPage(rootPage);
      return bindPagination(binding, pagination);
    default:
      return paging satisfies never;
  }
}

/** Binds `pagination`. Pages below 1, starts below 0 and sizes outside of 1 to the maximum are clamped. */
export function bindPagination(binding: Binding, node: PaginationNode | null): Page {
  const { defaultLimit, maxLimit, policies } = binding;
  const { casts, errors, page: policy } = policies;
  const given = node === null ? {} : policy.readMembers(node);
  const has = (name: string) => !casts.isAbsent(given[name]);
  const byPage = pageNames.find(has);
  const byOffset = offsetNames.find(has);
  if (byPage !== undefined && byOffset !== undefined) throw errors.mixedPagination(byPage, byOffset);
  const withCount = has('withCount') ? casts.flag(given.withCount) : true;
  if (withCount === null) throw errors.wrongWithCount(given.withCount);
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
export function readNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

function whole({ policies }: Binding, number: number, name: string, value: unknown): number {
  if (Number.isSafeInteger(number)) return number;
  throw policies.errors.wrongPageNumber(name, value, number);
}

import { type Dialect, isObject, Refused, Unspecified } from './snapshot.ts';
import { readWord } from './values.ts';

/** Entries from `start`, at most `limit` of them, and `meta.pagination` once the total is known. */
export interface Page {
  start: number;
  limit: number;
  meta(total: number): object;
}

const defaultLimit = 25;
const maximumLimit = 100;

/** The `pagination` parameter: page and pageSize from 1, or start from 0 and limit. */
export function readPage(input: unknown, dialect: Dialect): Page {
  if (input === undefined) return readPage({}, dialect);
  if (!isObject(input)) throw new Unspecified('pagination that is no object');
  for (const key of Object.keys(input)) {
    if (!['page', 'pageSize', 'start', 'limit', 'withCount'].includes(key)) throw new Unspecified(`pagination ${key}`);
  }
  const counted = input.withCount === undefined || readWord(String(input.withCount), dialect);
  if (counted === null) throw new Refused(400, 'withCount is no boolean');
  const offset = input.start !== undefined || input.limit !== undefined;
  if (offset && (input.page !== undefined || input.pageSize !== undefined)) {
    throw new Refused(400, 'page and offset pagination in one query');
  }
  if (offset) {
    const start = wholeNumber(input.start, 0, dialect);
    const limit = clamped(wholeNumber(input.limit, defaultLimit, dialect));
    if (start < 0) throw new Unspecified('negative start');
    return { start, limit, meta: (total) => (counted ? { start, limit, total } : { start, limit }) };
  }
  const page = Math.max(wholeNumber(input.page, 1, dialect, true), 1);
  const pageSize = clamped(wholeNumber(input.pageSize, defaultLimit, dialect));
  return {
    start: (page - 1) * pageSize,
    limit: pageSize,
    meta: (total) => (counted ? { page, pageSize, pageCount: Math.ceil(total / pageSize), total } : { page, pageSize }),
  };
}

function clamped(limit: number): number {
  return Math.min(Math.max(limit, 1), maximumLimit);
}

/** Of text that is no number, only a page is recorded. */
function wholeNumber(input: unknown, fallback: number, dialect: Dialect, isPage = false): number {
  if (input === undefined) return fallback;
  if (dialect === 'document' && !/^-?\d+$/.test(String(input))) throw new Refused(400, `${String(input)} is no number`);
  const number = Number(input);
  if (Number.isNaN(number) && dialect === 'strapi' && !isPage) throw new Unspecified('text in the place of a number');
  if (input === '' || Number.isNaN(number)) throw new Refused(400, `${String(input)} is no number`);
  if (!Number.isInteger(number)) throw new Unspecified('fractional page');
  return number;
}

/** The part of each populated list that `start` and `limit`, or `page` and `pageSize`, name. */
export function readWindow(options: Record<string, unknown>): { start: number; limit: number } | null {
  const { start, limit, page, pageSize } = options;
  if (start === undefined && limit === undefined && page === undefined && pageSize === undefined) return null;
  const paged = page !== undefined || pageSize !== undefined;
  if (paged && (start !== undefined || limit !== undefined)) throw new Refused(400, 'page and offset in one window');
  if (!paged) {
    const size = bound(limit, -1, -1);
    return { start: bound(start, 0, 0), limit: size === -1 ? Number.POSITIVE_INFINITY : size };
  }
  const size = bound(pageSize, 10, 1);
  return { start: (bound(page, 1, 1) - 1) * size, limit: size };
}

function bound(input: unknown, fallback: number, least: number): number {
  if (input === undefined) return fallback;
  if (!/^-?\d+$/.test(String(input)) || Number(input) < least) throw new Refused(400, `bound ${String(input)}`);
  return Number(input);
}

import { PaginationError, ValidationError } from '../errors.ts';
import type { Binding } from './binding.ts';
import type { Page } from './bound.ts';
import { readSwitch } from './cast.ts';

const names = new Set(['page', 'pageSize', 'start', 'limit', 'withCount']);

/**
 * Binds `pagination`. A page before the first is the first; a size below one is one, above the largest the largest.
 */
export function bindPage(binding: Binding, value: unknown): Page {
  const { maxLimit, dialect } = binding;
  const defaultLimit = Math.min(binding.defaultLimit, maxLimit);
  if (value === undefined || value === null) value = {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new ValidationError('The pagination parameter must be an object', { source: 'query', param: 'pagination' });
  }
  const given = value as Record<string, unknown>;
  if (dialect.refusesUnknownParameters) {
    const key = Object.keys(given).find((name) => !names.has(name));
    if (key !== undefined) {
      const place = { key, path: null, source: 'query', param: 'pagination' };
      throw new ValidationError(`Invalid key ${key}`, place);
    }
  }
  const has = (name: string) => given[name] !== undefined;
  if ((has('page') || has('pageSize')) && (has('start') || has('limit'))) {
    throw new PaginationError('Cannot use both page & offset pagination in the same query');
  }
  const withCount = has('withCount') ? readSwitch(given.withCount) : true;
  if (withCount === null) {
    const place = { key: 'withCount', path: null, source: 'query', param: 'pagination' };
    throw new ValidationError('Invalid key withCount: expected true or false', place);
  }
  const clamp = (limit: number) => Math.min(Math.max(limit, 1), maxLimit);
  if (has('start') || has('limit')) {
    const limit = has('limit') ? clamp(readInteger(given.limit, 'Limit')) : defaultLimit;
    return {
      mode: 'offset',
      start: Math.max(has('start') ? readInteger(given.start, 'Start') : 0, 0),
      limit,
      withCount,
    };
  }
  const page = Math.max(has('page') ? readInteger(given.page, 'Start') : 1, 1);
  const limit = has('pageSize') ? clamp(readInteger(given.pageSize, 'Limit')) : defaultLimit;
  return { mode: 'page', start: (page - 1) * limit, limit, withCount };
}

function readInteger(value: unknown, what: 'Start' | 'Limit'): number {
  const isGiven = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  const number = isGiven ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) {
    const got = Number.isNaN(number) ? 'NaN' : String(value);
    throw new ValidationError(`convert${what}QueryParams expected a positive integer got ${got}`);
  }
  return number;
}

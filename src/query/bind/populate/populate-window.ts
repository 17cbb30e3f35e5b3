/** The part of a populated list that is served, as content of Strapi 4 and the feature `populateWindow` let a query say. */
import { PaginationError, ValidationError } from '../../../core/errors.ts';
import { preview } from '../../../core/problems.ts';
import type { Window } from '../../bound.ts';
import type { PopulatePlace } from '../../syntax/location.ts';

/** The options of a populated list that choose a part of it. */
export const windowOptions: readonly string[] = ['start', 'limit', 'page', 'pageSize'];

/**
 * Returns what `limit` and `start`, or `page` and `pageSize`, leave of a list. Undefined: all of it. Throws for a value
 * that is no whole number, and for both forms at once.
 */
export function windowOf(options: Readonly<Record<string, unknown>>, place: PopulatePlace): Window | undefined {
  const { limit, start, page, pageSize } = options;
  const read = (name: string, byDefault: number, minimum: number) =>
    wholeNumber(place, name, options[name] ?? byDefault, minimum);
  const isPaged = page !== undefined || pageSize !== undefined;
  if (isPaged && (limit !== undefined || start !== undefined)) {
    const details = detailsOf(place, limit === undefined ? 'start' : 'limit', limit ?? start);
    throw new PaginationError('Cannot use both page & offset pagination in the same query', details);
  }
  if (isPaged) {
    const size = read('pageSize', 10, 1);
    const from = (read('page', 1, 1) - 1) * size;
    return { from, to: from + size };
  }
  if (limit === undefined && start === undefined) return undefined;
  const from = read('start', 0, 0);
  const length = read('limit', -1, -1);
  return { from, to: length === -1 ? Number.MAX_SAFE_INTEGER : from + length };
}

function wholeNumber(place: PopulatePlace, name: string, value: unknown, minimum: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (Number.isSafeInteger(number) && (number as number) >= minimum) return number as number;
  const message = `Invalid value ${preview(value)} for ${place.url}[${name}]: expected a whole number from ${minimum} on`;
  throw new ValidationError(message, detailsOf(place, name, value));
}

function detailsOf({ path }: PopulatePlace, key: string, value: unknown): object {
  return { key, path, source: 'query', param: 'populate', value };
}

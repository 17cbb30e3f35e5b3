/**
 * Lists in `populate` above the limit. Strapi reads them as objects with numbers for keys and then rejects these with a
 * message of its own. Other long lists are rejected by the parser, which names the limit.
 */
import { ValidationError } from '../../core/errors.ts';
import type { RawQuery } from '../syntax/parse.ts';
import { isObject } from '../syntax/raw-value.ts';

/** Returns the query that `parse` returns with objects in place of long lists. Null unless all are in `populate`. */
export function readLongLists(parse: () => RawQuery): RawQuery | null {
  try {
    const query = parse();
    return Object.entries(query).every(([param, value]) => isNumberedInPopulate(value, param)) ? query : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const otherLists: ReadonlySet<string> = new Set(['filters', 'fields', 'sort']);

/**
 * Returns whether objects with numbers for keys occur only in `populate`, where the numbers are wrong names. Elsewhere
 * they would be taken for operands, or rejected without naming the limit.
 */
function isNumberedInPopulate(value: unknown, param: string): boolean {
  if (!isObject(value)) return true;
  return Object.entries(value).every(([key, inner]) => {
    if (param !== 'populate' && !Array.isArray(value) && /^\d+$/.test(key)) return false;
    return isNumberedInPopulate(inner, otherLists.has(key) ? key : param);
  });
}

/** Throws for the object that the parser makes of a list of names that is too long: its keys are numbers from 0. */
export function rejectLongList(value: object, limit: number): void {
  const keys = Object.keys(value);
  if (keys.length <= limit || keys.some((key, i) => key !== String(i))) return;
  if (Object.values(value).some((item) => typeof item !== 'string')) return;
  throw new ValidationError(
    `Too many populate entries (${keys.length}). The maximum number of populate entries when using array notation is ` +
      `${limit}. Consider using object notation (populate[field]=true), nested population, or reducing the number ` +
      'of fields.',
    { source: 'query', param: 'populate' },
  );
}

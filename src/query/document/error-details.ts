/** Errors with their location and value. */
import { ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import { joinPaths, type Part, type Path } from '../syntax/location.ts';

/** Names the part of `populate` in a message. Parameters of their own need no name. */
export function inside({ param, url }: Part): string {
  return param === url ? '' : ` in ${url}`;
}

/** Returns the details of an error, without a value if it is undefined. */
export function detailsOf(param: string, key: string, path: Path, value: unknown): object {
  const place = { key, path, source: 'query', param };
  return value === undefined ? place : { ...place, value: printable(value) };
}

/** Returns a value that JSON can hold. */
export function printable(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  return ['bigint', 'symbol', 'function'].includes(typeof value) ? String(value) : value;
}

/** Returns the error for a key. `path` is that of the attribute concerned, relative to the part. */
export function invalid(part: Part, key: string, relative: Path, reason: string, value?: unknown): ValidationError {
  const path = joinPaths(part.base, relative);
  const at = path === null || path === key ? '' : ` at ${path}`;
  const message = `Invalid key ${key === '' ? '""' : key}${at}${inside(part)}: ${reason}`;
  return new ValidationError(message, detailsOf(part.param, key, path, value));
}

/** Returns the error for a value. `path` is absolute; `where` is the location as the message names it. */
export function invalidValue(
  param: string,
  key: string,
  path: Path,
  where: string,
  value: unknown,
  expected: string,
): ValidationError {
  const message = `Invalid value ${preview(printable(value))} for ${where}: ${expected}`;
  return new ValidationError(message, detailsOf(param, key, path, value));
}

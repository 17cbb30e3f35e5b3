/** Refusals with their place and value. */
import { ValidationError } from '../base/errors.ts';
import { preview } from '../base/problems.ts';
import type { Part, Path } from './syntax/place.ts';

/** The part of a populated attribute, in a message; parameters of their own need none. */
export function inside({ param, written }: Part): string {
  return param === written ? '' : ` in ${written}`;
}

/** The details of an error; without a value where it is undefined. */
export function detailsOf(param: string, key: string, path: Path, value: unknown): object {
  const place = { key, path, source: 'query', param };
  return value === undefined ? place : { ...place, value: printable(value) };
}

/** A value that JSON can hold. */
export function printable(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  return ['bigint', 'symbol', 'function'].includes(typeof value) ? String(value) : value;
}

/** The refusal of a key. `path` is that of the attribute concerned. */
export function invalid(part: Part, key: string, path: Path, reason: string, value?: unknown): ValidationError {
  const at = path === null || path === key ? '' : ` at ${path}`;
  const message = `Invalid key ${key === '' ? '""' : key}${at}${inside(part)}: ${reason}`;
  return new ValidationError(message, detailsOf(part.param, key, path, value));
}

/** The refusal of a value. `where` is its place as the message names it. */
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

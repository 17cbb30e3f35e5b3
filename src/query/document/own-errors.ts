/** Errors of what only this dialect rejects. */
import type { ValidationError } from '../../core/errors.ts';
import { didYouMean } from '../../core/suggest.ts';
import { childPath, type Part, type Path, rootPart } from '../syntax/location.ts';
import type { PaginationNode, ParameterNode } from '../syntax/parameter-nodes.ts';
import { invalid, invalidValue } from './error-details.ts';

/** A parameter that does not exist. */
export function unknownParameter({ param, raw }: ParameterNode, known: Iterable<string>): ValidationError {
  const reason = `there is no such parameter${didYouMean(param, known)}`;
  return invalid(rootPart(param), param, null, reason, typeof raw === 'object' ? undefined : raw);
}

/** A `pagination` that is no object. */
export function wrongPagination({ raw }: PaginationNode): ValidationError {
  const expected = 'expected an object, as in pagination[page]=1';
  return invalidValue('pagination', 'pagination', null, 'pagination', raw, expected);
}

export function unknownPaginationKey(key: string, known: Iterable<string>, value: unknown): ValidationError {
  return invalid(rootPart('pagination'), key, key, `expected ${[...known].join(', ')}${didYouMean(key, known)}`, value);
}

/** A locale that the content does not have. `known` are those that the caller may list; null if it may not. */
export function unknownLocale(value: string, known: readonly string[] | null): ValidationError {
  const list = known === null ? '' : `; there are ${known.join(', ')}`;
  return invalidValue('locale', 'locale', null, 'locale', value, `the content has no such locale${list}`);
}

/** A path through a dynamic zone to a name that none of its components can populate. */
export function unknownInZone(part: Part, name: string, parent: Path, value: unknown): ValidationError {
  const reason = 'no component of the dynamic zone has such an attribute to populate';
  return invalid(part, name, childPath(parent, name), reason, value);
}

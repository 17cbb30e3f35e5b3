/** Errors that name the location, the value and what would be right. */
import { PaginationError, ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import { isScalar } from '../../model/schema/schema.ts';
import { comparisonKindOf, maximumJsonDepth } from '../../model/schema/value-types.ts';
import { isAccessible } from '../bind/context.ts';
import type { ErrorPolicy, Expected } from '../errors.ts';
import { isOperatorName, operatorNames } from '../operators.ts';
import {
  childPath,
  joinPaths,
  type OperandPlace,
  type Part,
  type Path,
  type PopulatePlace,
  rootPart,
} from '../syntax/location.ts';
import type { PaginationNode, ParameterNode } from '../syntax/parameter-nodes.ts';
import { describe, hasAccessible, namesOf, onExample, unusable } from './name-hints.ts';

/** Names the part of `populate` in a message. Parameters of their own need no name. */
function inside({ param, url }: Part): string {
  return param === url ? '' : ` in ${url}`;
}

/** Returns the details of an error, without a value if it is undefined. */
function detailsOf(param: string, key: string, path: Path, value: unknown): object {
  const place = { key, path, source: 'query', param };
  return value === undefined ? place : { ...place, value: printable(value) };
}

/** Returns a value that JSON can hold. */
function printable(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  return ['bigint', 'symbol', 'function'].includes(typeof value) ? String(value) : value;
}

/** Returns the error for a key. `path` is that of the attribute concerned, relative to the part. */
function invalid(part: Part, key: string, relative: Path, reason: string, value?: unknown): ValidationError {
  const path = joinPaths(part.base, relative);
  const at = path === null || path === key ? '' : ` at ${path}`;
  const message = `Invalid key ${key === '' ? '""' : key}${at}${inside(part)}: ${reason}`;
  return new ValidationError(message, detailsOf(part.param, key, path, value));
}

/** Returns the error for a value. `path` is absolute; `where` is the location as the message names it. */
function invalidValue(
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

const expectations: Record<Expected, string> = {
  single: 'expected a single value',
  text: 'expected well-formed text',
  'time value': 'expected a valid Date',
  boolean: 'expected true, false, 1, 0, t or f',
  JSON: 'expected JSON',
  'shallow JSON': `expected JSON of at most ${maximumJsonDepth} levels`,
  'whole number': 'expected a whole number',
  number: 'expected a number',
  date: 'expected a date (YYYY-MM-DD)',
  'existing date': 'there is no such date',
  datetime: 'expected an ISO 8601 datetime or milliseconds since 1970',
  time: 'expected a time (HH:mm:ss or HH:mm:ss.SSS)',
};

const noSuchAttribute = 'there is no such attribute';

function atOperator({ part, operator, ...at }: OperandPlace, value: unknown, expected: string): ValidationError {
  const path = joinPaths(part.base, at.path);
  return invalidValue(part.param, operator, path, `${operator} on ${path}${inside(part)}`, value, expected);
}

/** Explains that a relation is compared by id. */
function idExpected({ part, path }: OperandPlace): string {
  const url = [part.url, ...path!.split('.').map((name) => `[${name}]`)].join('');
  return `expected an id, because ${path} leads to entries; to filter by their attributes, use ${url}[<attribute>]`;
}

function atOption({ path, url }: PopulatePlace, key: string, reason: string, value: unknown): ValidationError {
  return invalid({ param: 'populate', url, base: null }, key, path, reason, value);
}

function invalidParameter({ param, raw }: ParameterNode, expected: string): ValidationError {
  return invalidValue(param, param, null, param, raw, expected);
}

export const documentErrors: ErrorPolicy = {
  wrongName(context, type, nameUse) {
    const { part, name, parent, use, value } = nameUse;
    const attribute = type.attributes.get(name);
    const missing = name === '' ? 'expected the name of an attribute' : noSuchAttribute;
    const text = value === name ? undefined : value;
    const reason =
      attribute && isAccessible(context, attribute)
        ? unusable(nameUse, attribute)
        : `${missing}${didYouMean(name, namesOf(context, type, use))}`;
    return invalid(part, name, name === '' ? parent : childPath(parent, name), reason, text);
  },
  unknownName: (part, name, parent) => invalid(part, name, childPath(parent, name), noSuchAttribute),
  wrongKey(part, key, path, subject, value) {
    if (subject === null && isOperatorName(key)) {
      return invalid(part, key, path, 'an operator belongs below an attribute, as in filters[name][$eq]', value);
    }
    if (key.startsWith('$')) {
      return invalid(part, key, path, `there is no such operator${didYouMean(key, operatorNames)}`, value);
    }
    const isOpaque = subject !== null && comparisonKindOf(subject.type) === 'presence';
    const reason = isOpaque
      ? `it is inside an attribute of the type ${subject.type}, which takes only $null and $notNull`
      : `expected an operator such as $eq${didYouMean(key, operatorNames)}`;
    return invalid(part, key, path, reason, value);
  },
  notAGroup: (part, key, path, value) =>
    invalid(part, key, path, `expected a group of conditions, not ${preview(printable(value))}`, value),
  wrongFilters({ param, url, base }, value) {
    return invalidValue(param, 'filters', base, url, value, 'expected conditions, as in filters[name][$eq]=value');
  },
  wrongOperand(place, value, expected) {
    const isIdExpected = place.comparesIds && expected === 'number';
    return atOperator(place, value, isIdExpected ? idExpected(place) : expectations[expected]);
  },
  unsupportedOperator: (place, type, value) =>
    atOperator(place, value, `${place.operator} cannot be used on the type ${type}; it takes only $null and $notNull`),
  notAPair: (place, values) => atOperator(place, values, `expected exactly two values, not ${values.length}`),

  wrongSort: ({ param, url, base }, path, value) =>
    invalidValue(param, 'sort', joinPaths(base, path), url, value, 'expected names, or attributes with asc or desc'),
  mixedSort: ({ param, url, base }, value) =>
    invalidValue(param, 'sort', base, url, value, 'expected a list of texts or a list of objects, not both'),
  wrongOrder: ({ param, url, base }, relative, value) => {
    const path = childPath(base, relative);
    const key = path.slice(path.lastIndexOf('.') + 1);
    return invalidValue(param, key, path, `${url} at ${path}`, value, 'expected one order, asc or desc');
  },

  wrongFields: ({ param, url, base }, value) =>
    invalidValue(param, 'fields', base, url, value, 'expected names of attributes'),

  wrongPopulate: ({ url, path }, value) =>
    invalidValue('populate', 'populate', path, url, value, 'expected *, names of attributes, or an object of options'),
  notOptions(context, { path, url }, target, value) {
    const [first] = [value].flat();
    const text = typeof first === 'string' ? first : '';
    const [name] = text.split(/[.,]/);
    const key = typeof first === 'string' ? name : 'populate';
    const example = hasAccessible(context, target, name) ? `, such as ${url}[populate]=${text}` : '';
    const hint = `expected true, * or options${example}`;
    return invalidValue('populate', key, path, url, value, hint);
  },
  unknownOption(context, place, target, key, allowed, value) {
    const names = [...allowed];
    const hint = didYouMean(key, names);
    const reason = `expected ${names.join(', ')}${hint}`;
    if (hint !== '' || !hasAccessible(context, target, key)) return atOption(place, key, reason, value);
    const option = isScalar(target.attributes.get(key)!) ? 'fields' : 'populate';
    return atOption(place, key, `${reason}; attributes belong in ${place.url}[${option}]`, value);
  },
  missingOn(place, _type, attribute, value) {
    const expected = `${attribute.name} is ${describe(attribute)}: use on, as in ${onExample(place, attribute)}`;
    return invalidValue('populate', attribute.name, place.path, place.url, value, expected);
  },
  populateWithoutOn: (place, _type, attribute, value) =>
    atOption(
      place,
      'populate',
      `${attribute.name} is ${describe(attribute)} and takes only *; for one of its types use on, as in ${onExample(place, attribute)}`,
      value,
    ),
  needlessOn: (place, _type, name, value) =>
    atOption(place, 'on', `${name} leads to one type; on is for dynamic zones and polymorphic relations`, value),
  wrongOn: (place, value) => atOption(place, 'on', `expected types, as in ${place.url}[on][<uid>]=true`, value),
  unknownType: (place, uid, known) =>
    atOption(
      { ...place, url: `${place.url}[on]` },
      uid,
      `there is no such type here${didYouMean(uid, known)}`,
      undefined,
    ),
  wrongCount: ({ path, url }, value) =>
    invalidValue('populate', 'count', path, `${url}[count]`, value, expectations.boolean),

  mixedPagination(page, offset) {
    const message = `Cannot use both page & offset pagination in the same query: ${page} and ${offset}`;
    return new PaginationError(message, detailsOf('pagination', offset, offset, undefined));
  },
  wrongPageNumber(key, value) {
    const isWhole = typeof value !== 'object' && /^-?\d+$/.test(String(value));
    const expected = isWhole ? 'the number is too large' : expectations['whole number'];
    return invalidValue('pagination', key, key, `pagination[${key}]`, value, expected);
  },
  wrongWithCount: (value) =>
    invalidValue('pagination', 'withCount', 'withCount', 'pagination[withCount]', value, expectations.boolean),

  unknownChoice: (node, known) => invalidParameter(node, `expected one of ${known.join(', ')}`),
  wrongPublishedFlag: (node) => invalidParameter(node, expectations.boolean),
  notText: (node) => invalidParameter(node, 'expected text'),
  severalLocales: (node) => invalidParameter(node, 'expected one locale where one entry is asked for'),
};

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

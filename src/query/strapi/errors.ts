/** Errors in Strapi's words. Most name no place. */
import { invalidKey, PaginationError, ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import type { EntryType } from '../../model/schema/schema.ts';
import { maximumJsonDepth } from '../../model/schema/value-types.ts';
import type { ErrorPolicy, Expected } from '../errors.ts';
import { childPath, type OperandPlace } from '../syntax/location.ts';
import { strapiCasts } from './casts.ts';

/** Strapi does not count these as attributes, so no path that it reports contains them. */
export const idNames: ReadonlySet<string> = new Set(['id', 'documentId']);

/** Returns whether Strapi counts a name as an attribute of the type. */
export function countsAsAttribute({ attributes }: EntryType, name: string): boolean {
  return !idNames.has(name) && attributes.has(name);
}

const orderMessage = 'Invalid order. order can only be one of asc|desc|ASC|DESC';

/** Strapi's messages for dates, datetimes and times, whatever the attribute. */
const withoutPlace: Partial<Record<Expected, string>> = {
  date: 'Invalid format, expected yyyy-MM-dd',
  'existing date': 'Invalid date',
  datetime: 'Invalid format, expected a timestamp or an ISO date',
  time: 'Invalid time format, expected HH:mm:ss.SSS',
};

const expectations: Record<Exclude<Expected, 'date' | 'existing date' | 'datetime' | 'time'>, string> = {
  single: 'expected a single value',
  text: 'expected well-formed text',
  'time value': 'expected a date',
  boolean: 'expected a boolean',
  JSON: 'expected JSON',
  'shallow JSON': `expected JSON of at most ${maximumJsonDepth} levels`,
  'whole number': 'expected a whole number',
  number: 'expected a number',
};

function atOperator(message: string, { part, operator, path }: OperandPlace): ValidationError {
  return new ValidationError(message, { key: operator, path, source: 'query', param: part.param });
}

function invalidNested(): ValidationError {
  return new ValidationError("Invalid nested populate. Expected '*' or an object");
}

export const strapiErrors: ErrorPolicy = {
  wrongName(_context, type, { part, name, parent, use, keyPath }) {
    const isKnown = use === 'populate' ? countsAsAttribute(type, name) : type.attributes.has(name);
    const own = keyPath === undefined ? childPath(parent, name) : keyPath;
    return invalidKey(part.param, name, isKnown ? own : parent);
  },
  unknownName: ({ param }, name, parent) => invalidKey(param, name, parent),
  wrongKey: ({ param }, key, path) => invalidKey(param, key, path),
  notAGroup: ({ param }, key, path) => invalidKey(param, key, path),
  wrongFilters: () => new ValidationError('The filters parameter must be an object or an array'),
  wrongOperand(place, value, expected) {
    const message = withoutPlace[expected];
    if (message !== undefined) return new ValidationError(message);
    const what = expectations[expected as keyof typeof expectations];
    return atOperator(`Invalid value ${preview(value)} for ${place.operator} on ${place.path}: ${what}`, place);
  },
  unsupportedOperator: (place, type) =>
    atOperator(`${place.operator} cannot be used on ${place.path}, which is of the type ${type}`, place),
  notAPair: (place, { length }) =>
    atOperator(`${place.operator} on ${place.path} takes exactly two values, not ${length}`, place),

  wrongSort: ({ param }, path, value) =>
    new ValidationError(
      path === null
        ? `Invalid ${param} parameter. Expected a string, an array of strings or a sort object`
        : `Invalid sort type expected object or string got ${typeof value}`,
    ),
  mixedSort: ({ param }) => invalidKey(param, '0', null),
  wrongOrder: () => new ValidationError(orderMessage),

  wrongFields: () => new ValidationError('Invalid fields parameter. Expected a string or an array of strings'),

  wrongPopulate: () =>
    new ValidationError('Invalid populate parameter. Expected a string, an array of strings, a populate object'),
  notOptions(context, place, target, value) {
    const list = [value].flat();
    // a list of other things than texts is taken for an object with numbers for keys
    const texts = list.every((item) => typeof item === 'string') ? list : Object.keys(list);
    const wrong = texts.map((text) => text.split('.')[0]).find((name) => strapiCasts.flag(name) === null);
    if (value === null || wrong === undefined) return invalidNested();
    return this.unknownOption(context, place, target, wrong, [], value);
  },
  /** The key of an attribute has the place as parent. */
  unknownOption: (_context, { path }, target, key) =>
    invalidKey('populate', key, countsAsAttribute(target, key) ? childPath(path, key) : path),
  missingOn(_place, type, { name }, value) {
    const text = typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
    return new ValidationError(
      `Invalid nested populate for ${type.singularName}.${name} (${type.uid}). ` +
        `Expected a fragment ("on") or "count" but found ${text}`,
    );
  },
  populateWithoutOn: ({ keyPath }) => invalidKey('populate', 'populate', keyPath),
  needlessOn: (_place, { uid }, name) =>
    new ValidationError(`Using fragments is not permitted to populate "${name}" in "${uid}"`),
  wrongOn: ({ keyPath }) => invalidKey('populate', 'on', `${keyPath}.on`),
  unknownType: ({ keyPath }, uid) => invalidKey('populate', uid, `${keyPath}.on.${uid}`),
  wrongCount: ({ path }) => invalidKey('populate', 'count', path),

  mixedPagination: () => new PaginationError('Cannot use both page & offset pagination in the same query'),
  wrongPageNumber(key, _value, number) {
    const what = key === 'page' || key === 'start' ? 'Start' : 'Limit';
    return new ValidationError(`convert${what}QueryParams expected a positive integer got ${number}`);
  },
  wrongWithCount: () => new ValidationError('Invalid withCount parameter. Expected "t","1","true","false","0","f"'),

  unknownChoice({ param, raw: value }, known) {
    const message = `Invalid value for '${param}'. Expected one of: ${known.join(', ')}.`;
    const place = { source: 'query', param };
    // the error of Strapi has no value
    return new ValidationError(message, param === 'publicationFilter' ? place : { ...place, value });
  },
  wrongPublishedFlag: () =>
    new ValidationError("Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string."),
  notText: ({ param }) =>
    new ValidationError(`The ${param} parameter must be a text`, { key: param, path: null, source: 'query', param }),
  severalLocales: ({ raw }) =>
    new ValidationError(`Invalid locale param ${raw} provided. Document locales must be strings.`),
};

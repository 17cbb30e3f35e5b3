import qs from 'qs';
import { limitExceeded } from '../../core/errors.ts';
import type { ErrorPolicy } from '../errors.ts';
import { rootPart } from './location.ts';

/** A parsed query string. Objects have no prototype, and a key without `=` has the value null. */
export type RawQuery = Record<string, unknown>;

/** The limits of the parser. */
interface ParserLimits {
  /** Maximum length of a list. */
  readonly arrayLimit: number;
  /** Maximum number of brackets in a key. */
  readonly depth: number;
  /** Maximum number of parameters. */
  readonly parameters: number;
}

/**
 * Returns the query in which lists above the limit are objects with numbers for keys, or null to reject it. `parse`
 * returns that query, and throws a RangeError if another limit is exceeded.
 */
export type LongListReader = (parse: () => RawQuery) => RawQuery | null;

/**
 * Parses a query string, without the schema. Throws above a limit: the parser would otherwise drop the excess, and a
 * dropped filter widens the answer.
 */
export function parseQuery(
  text: string,
  limits: ParserLimits,
  errors: ErrorPolicy,
  readLongLists: LongListReader = () => null,
): RawQuery {
  try {
    return parse(text, limits, errors, { throwsAboveLimits: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const isList = error.message.startsWith('Array');
    const query = isList ? readLongLists(() => parse(text, limits, errors, { throwsAboveLimits: false })) : null;
    if (query) return query;
    const passed = limitOf(error.message, limits);
    throw limitExceeded(`The query string exceeds a limit: ${error.message}`, ...passed, { source: 'query' });
  }
}

function parse(
  text: string,
  { arrayLimit, depth, parameters }: ParserLimits,
  errors: ErrorPolicy,
  { throwsAboveLimits }: { throwsAboveLimits: boolean },
): RawQuery {
  let hasPrototypeParameter = false;
  const decoder: qs.IParseOptions['decoder'] = (encoded, defaultDecoder, charset, type) => {
    const decoded = defaultDecoder(encoded, undefined, charset);
    if (type === 'key' && decoded.includes(prototypeName) && isPrototypeParameter(decoded, errors)) {
      hasPrototypeParameter = true;
    }
    return decoded;
  };
  const query = qs.parse(text, {
    strictNullHandling: true,
    plainObjects: true,
    arrayLimit,
    depth,
    strictDepth: true,
    parameterLimit: parameters,
    throwOnLimitExceeded: throwsAboveLimits,
    decoder,
  }) as RawQuery;
  if (hasPrototypeParameter) query[prototypeName] = '';
  return query;
}

/** Returns the limit that a message of the parser means, and its setting. The version of qs is pinned. */
function limitOf(message: string, { arrayLimit, depth, parameters }: ParserLimits): [limit: number, setting: string] {
  if (message.startsWith('Array')) return [arrayLimit, 'arrayLimit'];
  return message.startsWith('Parameter') ? [parameters, 'budgets.parameters'] : [depth, 'budgets.depth'];
}

const prototypeName = '__proto__';

/**
 * Returns whether a key is a parameter named `__proto__`. Throws if the name is inside another parameter: the parser
 * drops it silently there, and a dropped filter widens the answer.
 */
function isPrototypeParameter(key: string, errors: ErrorPolicy): boolean {
  const [param, ...names] = key.split(/\]?\[|\]$/).filter((name) => name !== '');
  const position = names.indexOf(prototypeName);
  if (position >= 0) {
    const path = names.slice(0, position).filter((name) => !/^(\$.*|\d+)$/.test(name));
    throw errors.unknownName(rootPart(param), prototypeName, path.length > 0 ? path.join('.') : null);
  }
  return param === prototypeName;
}

/** Values of a query before they are parsed. */

/** Returns whether a value is an object or a list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Returns whether a value holds others. Only programs give dates, and those are single values. */
export function isContainer(value: unknown): value is object {
  return isObject(value) && !(value instanceof Date);
}

/** Returns a value as text for a message. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
}

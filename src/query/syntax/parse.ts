import qs from 'qs';
import { passedLimit } from '../../base/errors.ts';
import type { QueryBudgets } from '../bind/query-budget.ts';
import type { MessagePolicy } from '../messages.ts';
import { rootPart } from './location.ts';
import { isObject } from './raw-value.ts';

/** A parsed query string. Objects have no prototype, and a key without `=` has the value null. */
export type RawQuery = Record<string, unknown>;

/** The limits of the parser. */
export interface ParserLimits extends Pick<QueryBudgets, 'depth' | 'parameters'> {
  /** Maximum length of a list. */
  readonly arrayLimit: number;
}

/**
 * Parses a query string, without the schema. Throws above a limit: the parser would otherwise drop the excess, and a
 * dropped filter widens the answer. With `numbersLongLists`, lists in `populate` above the limit become objects with
 * numbers for keys, for binding to reject.
 */
export function parseQuery(
  text: string,
  limits: ParserLimits,
  messages: MessagePolicy,
  numbersLongLists = false,
): RawQuery {
  try {
    return parse(text, limits, messages, true);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const query = numbersLongLists && error.message.startsWith('Array') ? withNumbers(text, limits, messages) : null;
    if (query) return query;
    const passed = limitOf(error.message, limits);
    throw passedLimit(`The query string exceeds a limit: ${error.message}`, ...passed, { source: 'query' });
  }
}

/** Returns the query with objects in place of long lists. Null if one of these is not in `populate`. */
function withNumbers(text: string, limits: ParserLimits, messages: MessagePolicy): RawQuery | null {
  try {
    const query = parse(text, limits, messages, false);
    return Object.entries(query).every(([param, value]) => areNumbersInPopulate(value, param)) ? query : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function parse(
  text: string,
  { arrayLimit, depth, parameters }: ParserLimits,
  messages: MessagePolicy,
  throwOnLimitExceeded: boolean,
): RawQuery {
  let prototypeKey = false;
  const decoder: qs.IParseOptions['decoder'] = (encoded, defaultDecoder, charset, type) => {
    const decoded = defaultDecoder(encoded, undefined, charset);
    if (type === 'key' && decoded.includes('__proto__')) prototypeKey ||= checkPrototypeKey(decoded, messages);
    return decoded;
  };
  const query = qs.parse(text, {
    strictNullHandling: true,
    plainObjects: true,
    arrayLimit,
    depth,
    strictDepth: true,
    parameterLimit: parameters,
    throwOnLimitExceeded,
    decoder,
  }) as RawQuery;
  if (prototypeKey) query[prototypeName] = '';
  return query;
}

/**
 * Returns whether objects with numbers for keys occur only in `populate`, where the numbers are wrong names. Elsewhere
 * they would be taken for operands, or rejected without naming the limit.
 */
function areNumbersInPopulate(value: unknown, param: string): boolean {
  if (!isObject(value)) return true;
  return Object.entries(value).every(([key, inner]) => {
    if (param !== 'populate' && !Array.isArray(value) && /^\d+$/.test(key)) return false;
    return areNumbersInPopulate(inner, otherLists.has(key) ? key : param);
  });
}

const otherLists: ReadonlySet<string> = new Set(['filters', 'fields', 'sort']);

/** Returns the limit that a message of the parser means, and its setting. */
function limitOf(message: string, { arrayLimit, depth, parameters }: ParserLimits): [limit: number, setting: string] {
  if (message.startsWith('Array')) return [arrayLimit, 'arrayLimit'];
  return message.startsWith('Parameter') ? [parameters, 'budgets.parameters'] : [depth, 'budgets.depth'];
}

const prototypeName = '__proto__';

/**
 * The parser silently drops every part of a key that is named `__proto__`. Here it is a name that no attribute has:
 * inside a parameter it is an error. Returns whether it is a parameter of its own, which the caller puts back.
 */
function checkPrototypeKey(key: string, messages: MessagePolicy): boolean {
  const [param, ...names] = key.split(/\]?\[|\]$/).filter((name) => name !== '');
  const position = names.indexOf(prototypeName);
  if (position >= 0) {
    const path = names.slice(0, position).filter((name) => !/^(\$.*|\d+)$/.test(name));
    throw messages.unknownName(rootPart(param), prototypeName, path.length > 0 ? path.join('.') : null);
  }
  return param === prototypeName;
}

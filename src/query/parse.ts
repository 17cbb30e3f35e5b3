import qs from 'qs';
import { passedLimit } from '../errors.ts';
import type { Messages } from './messages.ts';
import { rootPart } from './place.ts';
import type { QueryBudgets } from './query-budget.ts';

/** A query string as plain data. Objects have no prototype; a key without `=` has the value null. */
export type RawQuery = Record<string, unknown>;

/**
 * Parses a query string. It knows no schema. A passed limit is refused: the parser would otherwise leave out what is
 * too much, and a filter that is left out widens the answer.
 */
export function parseQuery(
  text: string,
  arrayLimit: number,
  { depth, parameters }: Pick<QueryBudgets, 'depth' | 'parameters'>,
  messages: Messages,
): RawQuery {
  let prototypeKey = false;
  const decoder: qs.IParseOptions['decoder'] = (encoded, defaultDecoder, charset, type) => {
    const decoded = defaultDecoder(encoded, undefined, charset);
    if (type === 'key' && decoded.includes('__proto__')) prototypeKey ||= checkPrototypeKey(decoded, messages);
    return decoded;
  };
  try {
    const query = qs.parse(text, {
      strictNullHandling: true,
      plainObjects: true,
      arrayLimit,
      depth,
      strictDepth: true,
      parameterLimit: parameters,
      throwOnLimitExceeded: true,
      decoder,
    }) as RawQuery;
    if (prototypeKey) query[prototypeName] = '';
    return query;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const passed = limitOf(error.message, { arrayLimit, depth, parameters });
    throw passedLimit(`The query string passes a limit: ${error.message}`, ...passed, { source: 'query' });
  }
}

/** Which limit the parser speaks of, and its setting. */
function limitOf(
  message: string,
  { arrayLimit, depth, parameters }: { arrayLimit: number; depth: number; parameters: number },
): [limit: number, setting: string] {
  if (message.startsWith('Array')) return [arrayLimit, 'arrayLimit'];
  return message.startsWith('Parameter') ? [parameters, 'budgets.parameters'] : [depth, 'budgets.depth'];
}

const prototypeName = '__proto__';

/**
 * The parser leaves out every part of a key that is called `__proto__`, without a word; to us it is a name like any
 * other, which nothing has. Inside a parameter it is refused here; as a parameter of its own it is put back.
 */
function checkPrototypeKey(key: string, messages: Messages): boolean {
  const [param, ...names] = key.split(/\]?\[|\]$/).filter((name) => name !== '');
  const position = names.indexOf(prototypeName);
  if (position >= 0) {
    const path = names.slice(0, position).filter((name) => !/^(\$.*|\d+)$/.test(name));
    throw messages.unknownName(rootPart(param), prototypeName, path.length > 0 ? path.join('.') : null);
  }
  return param === prototypeName;
}

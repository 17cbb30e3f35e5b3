import qs from 'qs';
import { invalidKey, ValidationError } from '../errors.ts';

/** A query string as plain data. Objects have no prototype; a key without `=` has the value null. */
export type RawQuery = Record<string, unknown>;

const maximumDepth = 20;
const maximumParameters = 1000;

/**
 * Parses a query string. It knows no schema. A passed limit is refused: the parser would otherwise leave out what is
 * too much, and a filter that is left out widens the answer.
 */
export function parseQuery(text: string, arrayLimit: number): RawQuery {
  let prototypeKey = false;
  const decoder: qs.IParseOptions['decoder'] = (encoded, defaultDecoder, charset, type) => {
    const decoded = defaultDecoder(encoded, undefined, charset);
    if (type === 'key' && decoded.includes('__proto__')) prototypeKey ||= checkPrototypeKey(decoded);
    return decoded;
  };
  try {
    const query = qs.parse(text, {
      strictNullHandling: true,
      plainObjects: true,
      arrayLimit,
      depth: maximumDepth,
      strictDepth: true,
      parameterLimit: maximumParameters,
      throwOnLimitExceeded: true,
      decoder,
    }) as RawQuery;
    if (prototypeKey) query[prototypeName] = '';
    return query;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ValidationError(`The query string passes a limit: ${error.message}`, { source: 'query' });
  }
}

const prototypeName = '__proto__';

/**
 * The parser leaves out every part of a key that is called `__proto__`, without a word; to us it is a name like any
 * other, which nothing has. Inside a parameter it is refused here; as a parameter of its own it is put back.
 */
function checkPrototypeKey(key: string): boolean {
  const [param, ...names] = key.split(/\]?\[|\]$/).filter((name) => name !== '');
  const position = names.indexOf(prototypeName);
  if (position >= 0) {
    const path = names.slice(0, position).filter((name) => !/^(\$.*|\d+)$/.test(name));
    throw invalidKey(param, prototypeName, path.length > 0 ? path.join('.') : null);
  }
  return param === prototypeName;
}

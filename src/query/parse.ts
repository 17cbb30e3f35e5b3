import qs from 'qs';
import { ValidationError } from '../errors.ts';

/** A query string as plain data. Objects have no prototype; a key without `=` has the value null. */
export type RawQuery = Record<string, unknown>;

const maximumDepth = 20;
const maximumParameters = 1000;

/**
 * Parses a query string. It knows no schema. A passed limit is refused: the parser would otherwise leave out what is
 * too much, and a filter that is left out widens the answer.
 */
export function parseQuery(text: string, arrayLimit: number): RawQuery {
  try {
    return qs.parse(text, {
      strictNullHandling: true,
      plainObjects: true,
      arrayLimit,
      depth: maximumDepth,
      strictDepth: true,
      parameterLimit: maximumParameters,
      throwOnLimitExceeded: true,
      decoder: decode,
    }) as RawQuery;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ValidationError(`The query string passes a limit: ${error.message}`, { source: 'query' });
  }
}

const decode: NonNullable<qs.IParseOptions['decoder']> = (text, defaultDecoder, charset, type) => {
  const decoded = defaultDecoder(text, undefined, charset);
  // the parser would drop such a key without a word
  if (type === 'key' && decoded.includes('__proto__')) {
    const [param] = decoded.split('[', 1);
    throw new ValidationError('Invalid key __proto__', { key: '__proto__', path: null, source: 'query', param });
  }
  return decoded;
};

/** Values of PostgreSQL, from the text that the server sends. */
import type { DatabaseValue } from '../database.ts';

/** The numbers of types in the catalogue. */
const [bool, int8, int2, int4, oid, float4, float8] = [16, 20, 21, 23, 26, 700, 701];

const asText = (text: string): DatabaseValue => text;

/** Returns what parses the text of a column. All but booleans and numbers stays text: numerics, times, JSON. */
export function parserOf(type: number): (text: string) => DatabaseValue {
  switch (type) {
    case bool:
      return (text) => (text === 't' ? 1 : 0);
    case int8:
      return (text) => {
        const number = Number(text);
        return Number.isSafeInteger(number) ? number : BigInt(text);
      };
    case int2:
    case int4:
    case oid:
    case float4:
    case float8:
      return Number;
    default:
      return asText;
  }
}

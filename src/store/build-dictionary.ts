import type { ScalarType } from '../schema/schema.ts';
import { searchTextOf } from '../schema/search-text.ts';
import { type Comparable, comparisonOf } from '../schema/values.ts';
import type { Dictionary } from './dictionary.ts';
import { BigIntegerDictionary, NumberDictionary, PresenceDictionary } from './number-dictionary.ts';
import { TextDictionary } from './text-dictionary.ts';

/** A dictionary of distinct values of one type, and for each of them, as they were given, its code. */
export function buildDictionary(
  type: ScalarType,
  distinct: Comparable[],
): { dictionary: Dictionary; codes: Uint32Array } {
  const kind = comparisonOf(type);
  const codes = new Uint32Array(distinct.length);
  if (kind === 'presence') return { dictionary: new PresenceDictionary(), codes: codes.fill(1) };
  const order = Uint32Array.from(distinct.keys());
  if (kind === 'text') {
    const texts = distinct as string[];
    // without surrogates the order of UTF-16 units is that of code points
    const plain = !texts.some((text) => /[\ud800-\udfff]/.test(text));
    order.sort(
      plain
        ? (a, b) => (texts[a] < texts[b] ? -1 : 1)
        : (a, b) => Buffer.compare(Buffer.from(texts[a]), Buffer.from(texts[b])),
    );
  } else {
    const numbers = distinct as number[];
    order.sort((a, b) => (numbers[a] < numbers[b] ? -1 : 1));
  }
  for (let i = 0; i < order.length; i++) codes[order[i]] = i + 1;
  const sorted = Array.from(order, (i) => distinct[i]);
  if (kind === 'text') return { dictionary: TextDictionary.of(sorted as string[]), codes };
  if (kind === 'bigint') return { dictionary: new BigIntegerDictionary(BigInt64Array.from(sorted as bigint[])), codes };
  return { dictionary: new NumberDictionary(Float64Array.from(sorted as number[]), searchTextOf(type)), codes };
}

import type { CostBudget } from '../../base/cost-budget.ts';
import type { Comparable } from '../../model/value-types.ts';
import type { CodeSet } from '../../sets/code-set.ts';
import type { SortedValues } from '../sorted-values.ts';
import { type MatchMode, separator } from './pattern.ts';
import type { TextSearch } from './text-search.ts';

/** Distinct texts as UTF-8 in ascending order of bytes, which is the order of code points. */
export class TextDictionary implements SortedValues {
  readonly kind = 'text';
  /** Separator, value 0, separator, value 1, separator, … */
  readonly bytes: Buffer;
  /** Where each value starts; the last item is where one more value would start. */
  readonly offsets: Uint32Array;
  readonly textSearch: TextSearch;

  /** `textSearch` searches the same bytes. */
  constructor(bytes: Buffer, offsets: Uint32Array, textSearch: TextSearch) {
    this.bytes = bytes;
    this.offsets = offsets;
    this.textSearch = textSearch;
  }

  get size(): number {
    return this.offsets.length - 1;
  }

  text(i: number): string {
    return this.bytes.toString('utf8', this.offsets[i], this.offsets[i + 1] - 1);
  }

  find(operand: Comparable): number {
    const bytes = bytesOf(operand as string);
    const low = this.#countBelow(bytes, false);
    return low < this.size && this.#isAt(low, bytes) ? low : -1;
  }

  lowerBound(operand: Comparable): number {
    return this.#countBelow(bytesOf(operand as string), false);
  }

  upperBound(operand: Comparable): number {
    return this.#countBelow(bytesOf(operand as string), true);
  }

  /** How many values are less than all values that start with `prefix`, and how many are less or start with it. */
  prefixBounds(prefix: string): [low: number, high: number] {
    const bytes = Buffer.from(prefix);
    const above = Buffer.concat([bytes, Buffer.from([separator])]);
    return [this.#countBelow(bytes, false), this.#countBelow(above, false)];
  }

  /** The codes of the values that match `needle`; `folded` ignores case. */
  search(needle: string, mode: MatchMode, folded: boolean, budget: CostBudget): CodeSet {
    return this.textSearch.find(needle, mode, folded, budget);
  }

  /** How many values are less than `operand`, or, with `orEqual`, less than or equal to it. */
  #countBelow(operand: Uint8Array, orEqual: boolean): number {
    const { bytes, offsets } = this;
    let low = 0;
    let high = this.size;
    // bytes that the operand shares with the values on either side, and so with all values between them: comparing only
    // the others is 2.9 times as fast on slugs
    let sharedLow = 0;
    let sharedHigh = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = offsets[middle];
      const length = offsets[middle + 1] - 1 - start;
      const common = Math.min(length, operand.length);
      let at = Math.min(sharedLow, sharedHigh);
      // values differ within a few bytes: a native comparison takes 7 times as long
      while (at < common && bytes[start + at] === operand[at]) at++;
      const difference = at < common ? bytes[start + at] - operand[at] : length - operand.length;
      if (orEqual ? difference > 0 : difference >= 0) {
        high = middle;
        sharedHigh = at;
      } else {
        low = middle + 1;
        sharedLow = at;
      }
    }
    return low;
  }

  #isAt(i: number, operand: Uint8Array): boolean {
    const { bytes, offsets } = this;
    const start = offsets[i];
    if (offsets[i + 1] - 1 - start !== operand.length) return false;
    return operand.every((byte, at) => bytes[start + at] === byte);
  }
}

/** A text as UTF-8. Most are ASCII, which a loop writes 1.3 times as fast as native code (slugs of 30 characters). */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return Buffer.from(text);
    bytes[i] = unit;
  }
  return bytes;
}

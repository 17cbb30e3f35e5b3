import type { CostBudget } from '../../core/cost-budget.ts';
import type { CodeSet } from '../../core/sets/code-set.ts';
import type { CaseRule, MatchMode } from './pattern.ts';
import { SortedTexts } from './sorted-texts.ts';
import type { TextSearch } from './text-search.ts';

/** The texts of a collection's column, one after the other in one array. */
export class TextDictionary extends SortedTexts {
  /** Separator, value 0, separator, value 1, separator, … */
  readonly bytes: Buffer;
  /** Where each value starts; the last item is where one more value would start. */
  readonly offsets: Uint32Array;
  readonly textSearch: TextSearch;

  /** `textSearch` searches the same bytes. */
  constructor(bytes: Buffer, offsets: Uint32Array, textSearch: TextSearch) {
    super();
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

  withSeparators(i: number): Buffer {
    return this.bytes.subarray(this.offsets[i] - 1, this.offsets[i + 1]);
  }

  search(needle: string, mode: MatchMode, rule: CaseRule, budget: CostBudget): CodeSet {
    return this.textSearch.find(needle, mode, rule, budget);
  }

  protected countBelow(operand: Uint8Array, orEqual: boolean): number {
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

  protected isAt(i: number, operand: Uint8Array): boolean {
    const { bytes, offsets } = this;
    const start = offsets[i];
    if (offsets[i + 1] - 1 - start !== operand.length) return false;
    return operand.every((byte, at) => bytes[start + at] === byte);
  }
}

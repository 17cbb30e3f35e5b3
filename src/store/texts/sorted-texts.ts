import type { CostBudget } from '../../core/cost-budget.ts';
import type { CodeSet } from '../../core/sets/code-set.ts';
import type { SearchKey, SortedValues } from '../columns/sorted-values.ts';
import { type CaseRule, type MatchMode, separator } from './pattern.ts';

/** Distinct texts as UTF-8 in ascending order of bytes, which is the order of code points. */
export abstract class SortedTexts implements SortedValues {
  readonly kind = 'text';

  abstract get size(): number;
  abstract text(i: number): string;

  /** The bytes of a value, with the separators before and after it. */
  abstract withSeparators(i: number): Buffer;

  /** The codes of the values that match `needle`. */
  abstract search(needle: string, mode: MatchMode, rule: CaseRule, budget: CostBudget): CodeSet;

  /** How many values are less than `operand`, or, with `orEqual`, less than or equal to it. */
  protected abstract countBelow(operand: Uint8Array, orEqual: boolean): number;
  protected abstract isAt(i: number, operand: Uint8Array): boolean;

  find(operand: SearchKey): number {
    const bytes = bytesOf(operand as string | Uint8Array);
    const low = this.countBelow(bytes, false);
    return low < this.size && this.isAt(low, bytes) ? low : -1;
  }

  lowerBound(operand: SearchKey): number {
    return this.countBelow(bytesOf(operand as string | Uint8Array), false);
  }

  upperBound(operand: SearchKey): number {
    return this.countBelow(bytesOf(operand as string | Uint8Array), true);
  }

  /** How many values are less than all values that start with `prefix`, and how many are less or start with it. */
  prefixBounds(prefix: string): [low: number, high: number] {
    const bytes = Buffer.from(prefix);
    const above = Buffer.concat([bytes, Buffer.from([separator])]);
    return [this.countBelow(bytes, false), this.countBelow(above, false)];
  }
}

/** A text as UTF-8. Most are ASCII, which a loop writes 1.3 times as fast as native code (slugs of 30 characters). */
function bytesOf(text: string | Uint8Array): Uint8Array {
  if (typeof text !== 'string') return text;
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return Buffer.from(text);
    bytes[i] = unit;
  }
  return bytes;
}

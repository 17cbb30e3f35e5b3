import type { CostBudget } from '../../base/cost-budget.ts';
import { SnapshotError } from '../../base/errors.ts';
import type { Comparable } from '../../model/value-types.ts';
import type { Anchor, Codes, Dictionary } from '../dictionary.ts';
import { separator } from './pattern.ts';
import { TextSearch } from './text-search.ts';

/** Distinct texts as UTF-8 in ascending order of bytes, which is that of code points. */
export class TextDictionary implements Dictionary {
  readonly kind = 'text';
  /** Separator, value 0, separator, value 1, separator, … */
  readonly bytes: Buffer;
  /** Where each value starts; the last item is where one more value would. */
  readonly offsets: Uint32Array;
  #search: TextSearch | null = null;

  constructor(bytes: Buffer, offsets: Uint32Array) {
    this.bytes = bytes;
    this.offsets = offsets;
  }

  /** Of texts that stand behind one another, text t from `starts[t]` to `starts[t + 1]`, those that `sorted` names. */
  static ofBytes(source: Buffer, starts: Uint32Array, sorted: Uint32Array): TextDictionary {
    let length = 1;
    for (const text of sorted) length += starts[text + 1] - starts[text] + 1;
    // a native search counts in 31 bits
    if (length > 0x7fffffff) throw new SnapshotError(['the different texts of one attribute take more than 2 GiB']);
    const bytes = Buffer.allocUnsafeSlow(length);
    bytes[0] = separator;
    const offsets = new Uint32Array(sorted.length + 1).fill(1, 0, 1);
    for (let i = 0; i < sorted.length; i++) {
      const text = sorted[i];
      source.copy(bytes, offsets[i], starts[text], starts[text + 1]);
      offsets[i + 1] = offsets[i] + starts[text + 1] - starts[text] + 1;
      bytes[offsets[i + 1] - 1] = separator;
    }
    return new TextDictionary(bytes, offsets);
  }

  get size(): number {
    return this.offsets.length - 1;
  }

  text(i: number): string {
    return this.bytes.toString('utf8', this.offsets[i], this.offsets[i + 1] - 1);
  }

  find(operand: Comparable): number {
    const bytes = bytesOf(operand as string);
    const low = this.#bound(bytes, 0);
    return low < this.size && this.#isAt(low, bytes) ? low : -1;
  }

  lowerBound(operand: Comparable): number {
    return this.#bound(bytesOf(operand as string), 0);
  }

  upperBound(operand: Comparable): number {
    return this.#bound(bytesOf(operand as string), 1);
  }

  /** How many values are less than every value that starts with `prefix`, and how many are not greater. */
  prefixBounds(prefix: string): [low: number, high: number] {
    const bytes = Buffer.from(prefix);
    return [this.#bound(bytes, 0), this.#bound(Buffer.concat([bytes, Buffer.from([separator])]), 0)];
  }

  prepare(): void {
    this.#search ??= new TextSearch(this.bytes, this.offsets);
  }

  search(needle: string, anchor: Anchor, folded: boolean, work: CostBudget): Codes {
    this.prepare();
    return this.#search!.find(needle, anchor, folded, work);
  }

  /** How many values compare with `operand` as less than `below` (0: less; 1: less or equal). */
  #bound(operand: Uint8Array, below: 0 | 1): number {
    const { bytes, offsets } = this;
    let low = 0;
    let high = this.size;
    // how many bytes the operand shares with the values on either side, and so with all between them
    let sharedLow = 0;
    let sharedHigh = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = offsets[middle];
      const length = offsets[middle + 1] - 1 - start;
      const common = Math.min(length, operand.length);
      let at = Math.min(sharedLow, sharedHigh);
      // short of what a native comparison costs to call: values differ within a few bytes
      while (at < common && bytes[start + at] === operand[at]) at++;
      const difference = at < common ? bytes[start + at] - operand[at] : length - operand.length;
      if (difference >= below) {
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

/** A text as UTF-8. Most are ASCII, which is written sooner than native code is called. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return Buffer.from(text);
    bytes[i] = unit;
  }
  return bytes;
}

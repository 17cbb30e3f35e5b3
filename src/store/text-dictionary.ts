import type { Comparable } from '../schema/values.ts';
import type { Anchor, Codes, Dictionary } from './dictionary.ts';
import { separator } from './pattern.ts';
import { TextSearch } from './text-search.ts';
import type { Work } from './work.ts';

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
    const { bytes, offsets } = TextDictionary.#empty(sorted.length, length);
    for (let i = 0; i < sorted.length; i++) {
      const text = sorted[i];
      source.copy(bytes, offsets[i], starts[text], starts[text + 1]);
      offsets[i + 1] = offsets[i] + starts[text + 1] - starts[text] + 1;
      bytes[offsets[i + 1] - 1] = separator;
    }
    return new TextDictionary(bytes, offsets);
  }

  /** `texts` in the order in which they are to be numbered. */
  static of(texts: readonly string[]): TextDictionary {
    let length = 1;
    for (const text of texts) length += Buffer.byteLength(text) + 1;
    const { bytes, offsets } = TextDictionary.#empty(texts.length, length);
    for (let i = 0; i < texts.length; i++) {
      const end = offsets[i] + bytes.write(texts[i], offsets[i]);
      bytes[end] = separator;
      offsets[i + 1] = end + 1;
    }
    return new TextDictionary(bytes, offsets);
  }

  /** Room for `size` texts that take `length` bytes with their separators; the first separator stands. */
  static #empty(size: number, length: number): { bytes: Buffer; offsets: Uint32Array } {
    // a native search counts in 31 bits
    if (length > 0x7fffffff) throw new RangeError('the different texts of one attribute take more than 2 GiB');
    const bytes = Buffer.allocUnsafeSlow(length);
    bytes[0] = separator;
    return { bytes, offsets: new Uint32Array(size + 1).fill(1, 0, 1) };
  }

  get size(): number {
    return this.offsets.length - 1;
  }

  text(i: number): string {
    return this.bytes.toString('utf8', this.offsets[i], this.offsets[i + 1] - 1);
  }

  find(operand: Comparable): number {
    const bytes = Buffer.from(operand as string);
    const low = this.#bound(bytes, 0);
    return low < this.size && this.#compare(low, bytes) === 0 ? low : -1;
  }

  lowerBound(operand: Comparable): number {
    return this.#bound(Buffer.from(operand as string), 0);
  }

  upperBound(operand: Comparable): number {
    return this.#bound(Buffer.from(operand as string), 1);
  }

  /** How many values are less than every value that starts with `prefix`, and how many are not greater. */
  prefixBounds(prefix: string): [low: number, high: number] {
    const bytes = Buffer.from(prefix);
    return [this.#bound(bytes, 0), this.#bound(Buffer.concat([bytes, Buffer.from([separator])]), 0)];
  }

  prepare(): void {
    this.#search ??= new TextSearch(this.bytes, this.offsets);
  }

  search(needle: string, anchor: Anchor, folded: boolean, work: Work): Codes {
    this.prepare();
    return this.#search!.find(needle, anchor, folded, work);
  }

  /** How many values compare with `operand` as less than `below` (0: less; 1: less or equal). */
  #bound(operand: Buffer, below: 0 | 1): number {
    let low = 0;
    for (let high = this.size; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, operand) >= below) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Negative, 0 or positive, as a value comes before an operand, is it, or comes after it. */
  #compare(i: number, operand: Buffer): number {
    const { bytes } = this;
    const start = this.offsets[i];
    const length = this.offsets[i + 1] - 1 - start;
    const common = Math.min(length, operand.length);
    // short of what a native comparison costs to call: values differ within a few bytes
    for (let at = 0; at < common; at++) {
      const difference = bytes[start + at] - operand[at];
      if (difference !== 0) return difference;
    }
    return length - operand.length;
  }
}

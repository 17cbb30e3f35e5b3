import type { Comparable } from '../schema/values.ts';
import { type Anchor, type Codes, type Dictionary, firstWhere } from './dictionary.ts';
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

  /** `texts` in the order in which they are to be numbered. */
  static of(texts: readonly string[]): TextDictionary {
    let length = 1;
    for (const text of texts) length += Buffer.byteLength(text) + 1;
    // a native search counts in 31 bits
    if (length > 0x7fffffff) throw new RangeError('the different texts of one attribute take more than 2 GiB');
    const bytes = Buffer.allocUnsafeSlow(length);
    const offsets = new Uint32Array(texts.length + 1);
    let end = 0;
    bytes[end++] = separator;
    for (let i = 0; i < texts.length; i++) {
      offsets[i] = end;
      end += bytes.write(texts[i], end);
      bytes[end++] = separator;
    }
    offsets[texts.length] = end;
    return new TextDictionary(bytes, offsets);
  }

  get size(): number {
    return this.offsets.length - 1;
  }

  text(i: number): string {
    return this.bytes.toString('utf8', this.offsets[i], this.offsets[i + 1] - 1);
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

  search(needle: string, anchor: Anchor, folded: boolean): Codes {
    this.prepare();
    return this.#search!.find(needle, anchor, folded);
  }

  /** How many values compare with `operand` as less than `below` (0: less; 1: less or equal). */
  #bound(operand: Buffer, below: 0 | 1): number {
    const { bytes, offsets } = this;
    return firstWhere(
      this.size,
      (i) => bytes.compare(operand, 0, operand.length, offsets[i], offsets[i + 1] - 1) >= below,
    );
  }
}

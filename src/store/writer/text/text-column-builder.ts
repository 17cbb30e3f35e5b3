import type { Allocator } from '../../../core/memory/allocator.ts';
import { GrowableNumbers } from '../../../core/memory/growable-buffers.ts';
import { iota } from '../../../core/sets/row-set.ts';
import type { ScalarType } from '../../../model/schema/schema.ts';
import { Column } from '../../columns/column.ts';
import type { Dictionary } from '../../columns/dictionary.ts';
import { buildValueIndex } from '../columns/build-value-index.ts';
import { Utf8Writer } from '../rows/utf8-writer.ts';
import { buildTextDictionary, copySorted, type SortedTexts } from './build-text-dictionary.ts';
import { sortTexts } from './sort-texts.ts';

export class TextColumnBuilder {
  readonly #allocator: Allocator;
  readonly #place: string | undefined;
  readonly #bytes: Utf8Writer;
  readonly #starts: GrowableNumbers;
  /** For each row the number of its text, counted from 1; 0 is null. */
  readonly #numbers: GrowableNumbers;
  /** The text with the last number; null if it was copied. */
  #last: string | null = null;

  constructor(allocator: Allocator, _type: ScalarType, place?: string) {
    this.#allocator = allocator;
    this.#place = place;
    this.#bytes = new Utf8Writer(place);
    this.#starts = new GrowableNumbers(place);
    this.#numbers = new GrowableNumbers(place);
  }

  /** Takes the text of the next row; undefined is null. */
  push(value: string | undefined): void {
    // versions of one document follow one another, and most of their texts are equal
    if (value !== undefined && value !== this.#last) {
      this.#starts.push(this.#bytes.length);
      this.#bytes.raw(value);
      this.#last = value;
    }
    this.#numbers.push(value === undefined ? 0 : this.#starts.length);
  }

  /** Copies each text of the other column once, as bytes. */
  copier({ codes, dictionary }: Column): (row: number) => void {
    const texts = dictionary as Extract<Dictionary, { kind: 'text' }>;
    const numberOfCode = new Uint32Array(dictionary.size + 1);
    return (row) => {
      const code = codes[row];
      if (code > 0 && numberOfCode[code] === 0) {
        this.#starts.push(this.#bytes.length);
        const bytes = texts.withSeparators(code - 1);
        this.#bytes.copy(bytes, 1, bytes.length - 1);
        this.#last = null;
        numberOfCode[code] = this.#starts.length;
      }
      this.#numbers.push(numberOfCode[code]);
    };
  }

  /** Returns the column in which row r has the text with load ordinal `order[r]`. The builder is empty then. */
  finish(order: Uint32Array): Column {
    const { texts, codes } = this.#sort(order);
    // the collected texts are out of scope here, so that the index can take their memory
    const dictionary = buildTextDictionary(texts, this.#allocator);
    return new Column(codes, dictionary, buildValueIndex(codes, dictionary.size, this.#allocator));
  }

  /** Sorts the texts, drops duplicates, and returns the codes by row. */
  #sort(order: Uint32Array): { texts: SortedTexts; codes: Uint32Array } {
    const count = this.#starts.length;
    this.#starts.push(this.#bytes.length);
    const starts = this.#starts.take();
    const bytes = this.#bytes.take();
    const numbers = this.#numbers.take();
    const sorted = iota(count);
    sortTexts(bytes, starts, sorted);
    const codeOfText = new Uint32Array(count + 1);
    let size = 0;
    for (const text of sorted) {
      const last = sorted[size - 1];
      const isNew =
        size === 0 ||
        starts[last + 1] - starts[last] !== starts[text + 1] - starts[text] ||
        bytes.compare(bytes, starts[last], starts[last + 1], starts[text], starts[text + 1]) !== 0;
      if (isNew) sorted[size++] = text;
      codeOfText[text + 1] = size;
    }
    const codes = this.#allocator.uint32(order.length);
    for (let row = 0; row < order.length; row++) codes[row] = codeOfText[numbers[order[row]]];
    return { texts: copySorted(bytes, starts, sorted.subarray(0, size), this.#allocator, this.#place), codes };
  }
}

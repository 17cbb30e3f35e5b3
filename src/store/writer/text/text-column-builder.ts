import { SnapshotError } from '../../../core/errors.ts';
import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import { GrowableBytes, GrowableNumbers } from '../../../core/memory/growable-buffers.ts';
import { BitSet, wordCount } from '../../../core/sets/bit-set.ts';
import { iota } from '../../../core/sets/row-set.ts';
import type { ScalarType } from '../../../model/schema/schema.ts';
import { Column } from '../../columns/column.ts';
import type { Dictionary } from '../../columns/dictionary.ts';
import { FoldedTexts, foldText, type RewrittenTexts } from '../../texts/folded-texts.ts';
import { separator } from '../../texts/pattern.ts';
import { TextDictionary } from '../../texts/text-dictionary.ts';
import { TextSearch } from '../../texts/text-search.ts';
import { buildValueIndex } from '../columns/build-value-index.ts';
import { Utf8Writer } from '../rows/utf8-writer.ts';

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

  /** Takes what `map` makes of each text of the other column. */
  mapper(column: Column, map: (text: string) => string): (row: number) => void {
    return this.#taker(column, (texts, i) => void this.#bytes.raw(map(texts.text(i))));
  }

  /** Copies each text of the other column once, as bytes. */
  copier(column: Column): (row: number) => void {
    return this.#taker(column, (texts, i) => {
      const bytes = texts.withSeparators(i);
      this.#bytes.copy(bytes, 1, bytes.length - 1);
    });
  }

  /** Returns a function that takes the text of a row of the other column. `write` writes the text of a number, once. */
  #taker(
    { codes, dictionary }: Column,
    write: (texts: Extract<Dictionary, { kind: 'text' }>, i: number) => void,
  ): (row: number) => void {
    const texts = dictionary as Extract<Dictionary, { kind: 'text' }>;
    const numberOfCode = new Uint32Array(dictionary.size + 1);
    return (row) => {
      const code = codes[row];
      if (code > 0 && numberOfCode[code] === 0) {
        this.#starts.push(this.#bytes.length);
        write(texts, code - 1);
        this.#last = null;
        numberOfCode[code] = this.#starts.length;
      }
      this.#numbers.push(numberOfCode[code]);
    };
  }

  /**
   * Returns the column in which row r has the text with load ordinal `order[r]`. The builder is empty then. Texts can be
   * searched unless `isSearched` is false.
   */
  finish(order: Uint32Array, isSearched = true): Column {
    const { texts, codes } = this.#sort(order);
    // the collected texts are out of scope here, so that the index can take their memory
    const build = isSearched ? buildTextDictionary : buildUnsearchedDictionary;
    const dictionary = build(texts, this.#allocator);
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

/** Native searches count bytes in 31 bits. */
const maximumBytes = 0x7fffffff;

/** The bytes and offsets of a TextDictionary. */
interface SortedTexts {
  readonly bytes: Buffer;
  readonly offsets: Uint32Array;
}

/**
 * Copies distinct texts in ascending order. Text t is `source[starts[t]]` up to `source[starts[t + 1]]`, and `sorted`
 * holds the numbers of the texts. Throws a SnapshotError that names `place` for more than 2 GiB.
 */
export function copySorted(
  source: Buffer,
  starts: Uint32Array,
  sorted: Uint32Array,
  allocator: Allocator = heapAllocator,
  place = 'the snapshot',
): SortedTexts {
  let length = 1;
  for (const text of sorted) length += starts[text + 1] - starts[text] + 1;
  if (length > maximumBytes) {
    throw new SnapshotError([`${place}: the distinct texts take ${length} bytes, the limit is ${maximumBytes}`]);
  }
  const bytes = allocator.bytes(length);
  bytes[0] = separator;
  const offsets = allocator.uint32(sorted.length + 1);
  offsets[0] = 1;
  for (let i = 0; i < sorted.length; i++) {
    const text = sorted[i];
    source.copy(bytes, offsets[i], starts[text], starts[text + 1]);
    offsets[i + 1] = offsets[i] + starts[text + 1] - starts[text] + 1;
    bytes[offsets[i + 1] - 1] = separator;
  }
  return { bytes, offsets };
}

/** Builds the dictionary of sorted texts and their search, without a trigram index. */
export function buildTextDictionary(
  { bytes, offsets }: SortedTexts,
  allocator: Allocator = heapAllocator,
): TextDictionary {
  const folded = foldTexts(bytes, offsets, allocator);
  return new TextDictionary(bytes, offsets, new TextSearch(bytes, offsets, folded, null));
}

/** Builds the dictionary of sorted texts that are only looked up, so that their search finds nothing by case or parts. */
function buildUnsearchedDictionary({ bytes, offsets }: SortedTexts, allocator: Allocator): TextDictionary {
  const none = { numbers: allocator.uint32(0), bytes: allocator.bytes(1), offsets: allocator.uint32(1) };
  none.bytes[0] = separator;
  none.offsets[0] = 1;
  const words = allocator.uint32(wordCount(offsets.length - 1));
  const folded = new FoldedTexts(bytes, offsets, { words, ...none });
  return new TextDictionary(bytes, offsets, new TextSearch(bytes, offsets, folded, null));
}

const edge = Buffer.of(separator);

/** Folds the values of a dictionary. `bytes` and `offsets` are those of the TextDictionary. */
function foldTexts(bytes: Buffer, offsets: Uint32Array, allocator: Allocator): FoldedTexts {
  const rewritten = new RewrittenTextsBuilder(offsets.length - 1, allocator);
  for (let i = 0; i + 1 < offsets.length; i++) {
    const folded = foldText(bytes, offsets[i], offsets[i + 1] - 1);
    if (folded !== null) rewritten.add(i, folded);
  }
  return new FoldedTexts(bytes, offsets, rewritten.finish());
}

/** Collects the values that folding rewrites, ascending. */
class RewrittenTextsBuilder {
  readonly #allocator: Allocator;
  readonly #isRewritten: BitSet;
  readonly #numbers = new GrowableNumbers();
  readonly #bytes = new GrowableBytes();
  readonly #offsets = new GrowableNumbers();

  /** `size` is the number of values in the dictionary. */
  constructor(size: number, allocator: Allocator) {
    this.#allocator = allocator;
    this.#isRewritten = new BitSet(size, allocator.uint32(wordCount(size)));
    this.#bytes.copy(edge, 0, 1);
  }

  add(number: number, folded: string): void {
    this.#isRewritten.add(number);
    this.#numbers.push(number);
    this.#offsets.push(this.#bytes.length);
    this.#bytes.push(folded);
    this.#bytes.copy(edge, 0, 1);
  }

  finish(): RewrittenTexts {
    this.#offsets.push(this.#bytes.length);
    return {
      words: this.#isRewritten.words,
      numbers: this.#numbers.take(this.#allocator),
      bytes: this.#bytes.take(this.#allocator),
      offsets: this.#offsets.take(this.#allocator),
    };
  }
}

/** Fewer texts than this are sorted by insertion, which is then faster than partitioning. */
const insertionLimit = 12;

/**
 * Sorts texts by their bytes, which is by code point. Text t is `bytes[starts[t]]` up to `bytes[starts[t + 1]]`, and
 * `order` holds the numbers of the texts. Three-way radix quicksort: it reads each byte of a common prefix once for
 * each text, however many texts there are. Equal texts are adjacent afterwards, in no particular order.
 */
export function sortTexts(bytes: Uint8Array, starts: Uint32Array, order: Uint32Array): void {
  /** The byte at `depth`, or -1 where the text has ended. */
  const byteAt = (text: number, depth: number): number => {
    const at = starts[text] + depth;
    return at < starts[text + 1] ? bytes[at] : -1;
  };

  /** Whether text `a` is less than text `b`. Both must be equal up to `depth`. */
  const isBefore = (a: number, b: number, depth: number): boolean => {
    const startOfB = starts[b] - starts[a];
    const end = Math.min(starts[a + 1], starts[b + 1] - startOfB);
    for (let at = starts[a] + depth; at < end; at++) {
      if (bytes[at] !== bytes[at + startOfB]) return bytes[at] < bytes[at + startOfB];
    }
    return starts[a + 1] - starts[a] < starts[b + 1] - starts[b];
  };

  const insert = (low: number, high: number, depth: number): void => {
    for (let i = low + 1; i < high; i++) {
      const text = order[i];
      let at = i;
      for (; at > low && isBefore(text, order[at - 1], depth); at--) order[at] = order[at - 1];
      order[at] = text;
    }
  };

  // parts still to be sorted, as triples: first, end, and the length of the prefix that their texts share
  const parts = [0, order.length, 0];
  while (parts.length > 0) {
    const depth = parts.pop()!;
    const high = parts.pop()!;
    const low = parts.pop()!;
    if (high - low <= insertionLimit) {
      insert(low, high, depth);
      continue;
    }
    const pivot = middle(
      byteAt(order[low], depth),
      byteAt(order[(low + high) >>> 1], depth),
      byteAt(order[high - 1], depth),
    );
    let less = low;
    let greater = high;
    for (let i = low; i < greater; ) {
      const text = order[i];
      const byte = byteAt(text, depth);
      if (byte < pivot) {
        order[i++] = order[less];
        order[less++] = text;
      } else if (byte > pivot) {
        order[i] = order[--greater];
        order[greater] = text;
      } else i++;
    }
    parts.push(low, less, depth, greater, high, depth);
    if (pivot >= 0) parts.push(less, greater, depth + 1);
  }
}

function middle(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

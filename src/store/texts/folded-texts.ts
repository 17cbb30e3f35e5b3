import { firstWhere } from '../../core/sets/binary-search.ts';
import { BitSet } from '../../core/sets/bit-set.ts';

/** The values that folding changes in more than the letters A to Z, which `lowerCased` folds: few in most contents. */
export interface RewrittenTexts {
  /** The words of the bit set of their numbers. */
  readonly words: Uint32Array;
  /** Their numbers, ascending. */
  readonly numbers: Uint32Array;
  /** Their folded bytes and where each starts, with separators, as in a TextDictionary. */
  readonly bytes: Buffer;
  readonly offsets: Uint32Array;
}

/**
 * The values of a dictionary with their case folded, without a copy of most. Read through `lowerCased`, the bytes of
 * nearly all text in Latin script are its folded form. Only the other values are stored again.
 */
export class FoldedTexts {
  readonly bytes: Buffer;
  readonly offsets: Uint32Array;
  readonly rewritten: RewrittenTexts;
  readonly #isRewritten: BitSet;

  /** `bytes` and `offsets` are those of the TextDictionary. */
  constructor(bytes: Buffer, offsets: Uint32Array, rewritten: RewrittenTexts) {
    this.bytes = bytes;
    this.offsets = offsets;
    this.rewritten = rewritten;
    this.#isRewritten = new BitSet(this.size, rewritten.words);
  }

  get size(): number {
    return this.offsets.length - 1;
  }

  cursor(): FoldedTextCursor {
    return new FoldedTextCursor(this, this.#isRewritten);
  }
}

/** Points at one folded value: its bytes, to be read through `lowerCased`, from `start` to `end`. */
export class FoldedTextCursor {
  bytes: Buffer;
  start = 0;
  end = 0;
  readonly #texts: FoldedTexts;
  readonly #isRewritten: BitSet;

  constructor(texts: FoldedTexts, isRewritten: BitSet) {
    this.bytes = texts.bytes;
    this.#texts = texts;
    this.#isRewritten = isRewritten;
  }

  moveTo(i: number): void {
    let { bytes, offsets } = this.#texts;
    let at = i;
    if (this.#isRewritten.has(i)) {
      const { numbers } = this.#texts.rewritten;
      ({ bytes, offsets } = this.#texts.rewritten);
      at = firstWhere(numbers.length, (other) => numbers[other] >= i);
    }
    this.bytes = bytes;
    this.start = offsets[at];
    this.end = offsets[at + 1] - 1;
  }
}

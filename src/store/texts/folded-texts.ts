import { BitSet } from '../../core/sets/bit-set.ts';
import { firstWhere } from '../../core/sets/row-set.ts';
import { foldCase } from '../../model/schema/compared-texts.ts';

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
class FoldedTextCursor {
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

/** A character beyond ASCII that folding may change. */
const foldedCharacter = /(?=[^\0-\x7f])\p{Changes_When_Lowercased}/u;

/** Folds a text in UTF-8. Returns null if its bytes are the folded text when they are read through `lowerCased`. */
export function foldText(bytes: Buffer, start: number, end: number): string | null {
  if (!mayChange(bytes, start, end)) return null;
  const text = bytes.toString('utf8', start, end);
  return foldedCharacter.test(text) ? foldCase(text) : null;
}

/** Whether a text has more than ASCII, à to ÿ and common punctuation. Folding changes nothing of those but A to Z. */
function mayChange(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte < 0x80) continue;
    const next = bytes[++at];
    if (byte === 0xe2 && next === 0x80) at++;
    else if (byte !== 0xc2 && !(byte === 0xc3 && next >= 0xa0)) return true;
  }
  return false;
}

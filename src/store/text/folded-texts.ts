import { foldCase } from '../../model/case-folding.ts';
import { BitSet } from '../../sets/bit-set.ts';
import { GrowableBytes } from '../../sets/growable-buffers.ts';
import { firstWhere } from '../dictionary.ts';

/** A character beyond ASCII that folding may change. */
const otherCapital = /(?=[^\0-\x7f])\p{Changes_When_Lowercased}/u;

/**
 * The values of a dictionary with their case folded, without a copy of most: read through `lowered`, the bytes of
 * nearly all text in Latin letters are its folded form. Only values of which they are not are kept anew, and reading
 * those through `lowered` changes nothing.
 */
export class FoldedTexts {
  /** Where the value that was moved to stands: its separators are at `start` - 1 and at `end`. */
  bytes: Buffer;
  start = 0;
  end = 0;
  readonly size: number;
  readonly #bytes: Buffer;
  readonly #offsets: Uint32Array;
  readonly #isOther: BitSet;
  /** The numbers of the others, ascending, and their bytes, laid out as those of a dictionary are. */
  readonly #others: Uint32Array;
  readonly #otherBytes: Buffer;
  readonly #otherOffsets: Uint32Array;

  /** `bytes` and `offsets` as a TextDictionary has them. */
  constructor(bytes: Buffer, offsets: Uint32Array) {
    this.bytes = bytes;
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.size = offsets.length - 1;
    this.#isOther = new BitSet(this.size);
    const otherBytes = new GrowableBytes();
    const otherOffsets: number[] = [];
    otherBytes.copy(bytes, 0, 1);
    for (let i = 0; i < this.size; i++) {
      const start = offsets[i];
      const end = offsets[i + 1] - 1;
      if (!mayChange(bytes, start, end)) continue;
      const text = bytes.toString('utf8', start, end);
      if (!otherCapital.test(text)) continue;
      const folded = Buffer.from(foldCase(text));
      this.#isOther.add(i);
      otherOffsets.push(otherBytes.length);
      otherBytes.copy(folded, 0, folded.length);
      otherBytes.copy(bytes, 0, 1);
    }
    otherOffsets.push(otherBytes.length);
    this.#others = this.#isOther.toArray();
    this.#otherBytes = otherBytes.take();
    this.#otherOffsets = Uint32Array.from(otherOffsets);
  }

  moveTo(i: number): void {
    let bytes = this.#bytes;
    let offsets = this.#offsets;
    let at = i;
    if (this.#isOther.has(i)) {
      bytes = this.#otherBytes;
      offsets = this.#otherOffsets;
      at = firstWhere(this.#others.length, (other) => this.#others[other] >= i);
    }
    this.bytes = bytes;
    this.start = offsets[at];
    this.end = offsets[at + 1] - 1;
  }
}

/**
 * Whether there is more than ASCII, à to ÿ and the usual punctuation, of which folding changes nothing but A to Z.
 */
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

import type { Allocator } from '../../memory/allocator.ts';
import { GrowableBytes, GrowableNumbers } from '../../memory/growable-buffers.ts';
import { foldCase } from '../../model/case-folding.ts';
import { BitSet, wordCount } from '../../sets/bit-set.ts';
import { FoldedTexts } from '../../store/text/folded-texts.ts';
import { separator } from '../../store/text/pattern.ts';

/** A character beyond ASCII that folding may change. */
const foldedCharacter = /(?=[^\0-\x7f])\p{Changes_When_Lowercased}/u;

const edge = Buffer.of(separator);

/** Folds the values of a dictionary. `bytes` and `offsets` are those of the TextDictionary. */
export function foldTexts(bytes: Buffer, offsets: Uint32Array, allocator: Allocator): FoldedTexts {
  const size = offsets.length - 1;
  const isRewritten = new BitSet(size, allocator.uint32(wordCount(size)));
  const numbers = new GrowableNumbers();
  const rewrittenBytes = new GrowableBytes();
  const rewrittenOffsets = new GrowableNumbers();
  rewrittenBytes.copy(edge, 0, 1);
  for (let i = 0; i < size; i++) {
    const start = offsets[i];
    const end = offsets[i + 1] - 1;
    if (!mayChange(bytes, start, end)) continue;
    const text = bytes.toString('utf8', start, end);
    if (!foldedCharacter.test(text)) continue;
    isRewritten.add(i);
    numbers.push(i);
    rewrittenOffsets.push(rewrittenBytes.length);
    rewrittenBytes.push(foldCase(text));
    rewrittenBytes.copy(edge, 0, 1);
  }
  rewrittenOffsets.push(rewrittenBytes.length);
  return new FoldedTexts(bytes, offsets, {
    words: isRewritten.words,
    numbers: numbers.take(allocator),
    bytes: rewrittenBytes.take(allocator),
    offsets: rewrittenOffsets.take(allocator),
  });
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

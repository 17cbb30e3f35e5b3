import type { Allocator } from '../../../core/memory/allocator.ts';
import { GrowableBytes, GrowableNumbers } from '../../../core/memory/growable-buffers.ts';
import { BitSet, wordCount } from '../../../core/sets/bit-set.ts';
import { foldText } from '../../texts/fold-text.ts';
import { FoldedTexts } from '../../texts/folded-texts.ts';
import { separator } from '../../texts/pattern.ts';

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
    const folded = foldText(bytes, offsets[i], offsets[i + 1] - 1);
    if (folded === null) continue;
    isRewritten.add(i);
    numbers.push(i);
    rewrittenOffsets.push(rewrittenBytes.length);
    rewrittenBytes.push(folded);
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

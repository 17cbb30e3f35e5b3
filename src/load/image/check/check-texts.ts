/** The texts of a dictionary, and what their search reads. */
import { isUtf8 } from 'node:buffer';
import { BitSet, wordCount } from '../../../core/sets/bit-set.ts';
import type { RewrittenTexts } from '../../../store/texts/folded-texts.ts';
import { separator } from '../../../store/texts/pattern.ts';
import type { TextDictionary } from '../../../store/texts/text-dictionary.ts';
import type { TrigramIndex, TrigramLists } from '../../../store/texts/trigram-index.ts';
import {
  areSetsBelow,
  ascends,
  check,
  equals,
  type Finding,
  hasLength,
  isBelow,
  type Rules,
  rises,
  wrongItem,
} from './invariants.ts';

/** Texts are copied and decoded in pieces of about this size. */
const pieceBytes = 2 ** 16;

export function checkTexts(name: string, dictionary: TextDictionary): void {
  check(name, textRules, dictionary);
  const { folded, trigrams } = dictionary.textSearch;
  check(`${name}/folded`, foldedRules, { ...folded.rewritten, size: dictionary.size });
  if (trigrams) check(name, trigramRules, trigrams);
}

const textRules: Rules<TextDictionary> = [
  ['offsets', ({ offsets, bytes }) => rises(offsets, 1, bytes.length, 1)],
  ['bytes', ({ offsets, bytes }) => areTexts(bytes, offsets)],
  ['bytes', ({ offsets, bytes }) => areInOrder(bytes, offsets)],
];

const foldedRules: Rules<RewrittenTexts & { readonly size: number }> = [
  ['words', ({ words, size }) => hasLength(words, wordCount(size))],
  ['words', ({ words, size }) => areSetsBelow(words, size)],
  ['numbers', ({ words, numbers, size }) => equals(numbers, new BitSet(size, words).toArray())],
  ['offsets', ({ numbers, offsets }) => hasLength(offsets, numbers.length + 1)],
  ['offsets', ({ bytes, offsets }) => rises(offsets, 1, bytes.length, 1)],
  ['bytes', ({ bytes, offsets }) => areTexts(bytes, offsets)],
];

const trigramRules: Rules<TrigramIndex> = [
  ['trigrams/trigrams', ({ lists }) => ascends(lists.trigrams)],
  ['trigrams/trigrams', ({ lists }) => isBelow(lists.trigrams, 2 ** 24)],
  ['trigrams/offsets', ({ lists }) => hasLength(lists.offsets, lists.trigrams.length + 1)],
  ['trigrams/offsets', ({ lists }) => rises(lists.offsets, 0, lists.gaps.length)],
  ['trigrams/gaps', ({ lists, size }) => areCodes(lists, size)],
  ['frequent/bytes', ({ frequent }) => ascends(frequent.bytes)],
  ['frequent/words', ({ frequent, size }) => hasLength(frequent.words, frequent.bytes.length * wordCount(size + 1))],
  ['frequent/words', ({ frequent, size }) => areSetsBelow(frequent.words, size + 1)],
  ['frequent/words', ({ frequent, size }) => areWithoutNull(frequent.words, size)],
];

/** A separator, then texts in UTF-8 with a separator behind each. UTF-8 never has the byte of a separator. */
function areTexts(bytes: Buffer, offsets: Uint32Array): Finding {
  const size = offsets.length - 1;
  if (bytes[0] !== separator) return wrongItem(0, bytes[0], `the separator ${separator}`);
  for (let first = 0; first < size; ) {
    const from = offsets[first];
    let end = first + 1;
    while (end < size && offsets[end + 1] - from <= pieceBytes) end++;
    // a character cannot go on behind a zero, so the texts are UTF-8 if the piece with zeros for separators is
    const piece = Buffer.from(bytes.subarray(from, offsets[end]));
    for (let text = first + 1; text <= end; text++) {
      const at = offsets[text] - 1;
      if (piece[at - from] !== separator) return wrongItem(at, bytes[at], `the separator ${separator}`);
      piece[at - from] = 0;
    }
    if (!isUtf8(piece)) return `one of the texts ${first} to ${end - 1} is not UTF-8`;
    first = end;
  }
  return null;
}

/** Each text is greater than the one before it, by bytes. The separator ends the comparison, as no byte is greater. */
function areInOrder(bytes: Buffer, offsets: Uint32Array): Finding {
  for (let text = 1; text + 1 < offsets.length; text++) {
    let one = offsets[text - 1];
    let other = offsets[text];
    const end = other - 1;
    const otherEnd = offsets[text + 1] - 1;
    while (one < end && other < otherEnd && bytes[one] === bytes[other]) {
      one++;
      other++;
    }
    const isLess = one === end ? other < otherEnd : other < otherEnd && bytes[one] < bytes[other];
    if (!isLess) return `text ${text}, at byte ${offsets[text]}, is not greater than the text before it`;
  }
  return null;
}

/** Each list has codes from 1 to `size`, ascending, and its last one ends with the list. */
function areCodes({ offsets, gaps }: TrigramLists, size: number): Finding {
  for (let list = 0; list + 1 < offsets.length; list++) {
    const end = offsets[list + 1];
    let code = 0;
    for (let at = offsets[list]; at < end; ) {
      const first = at;
      let gap = gaps[at++];
      if (gap > 0x7f) {
        gap &= 0x7f;
        for (let factor = 128, byte = 0x80; byte > 0x7f; factor *= 128) {
          // so the number goes on behind the list, or is no code
          if (at === end || gap > size) return wrongItem(at - 1, gaps[at - 1], 'the end of a number');
          byte = gaps[at++];
          gap += (byte & 0x7f) * factor;
        }
      }
      code += gap;
      if (gap === 0 || code > size) return wrongItem(first, gaps[first], `the next code of 1 to ${size}`);
    }
  }
  return null;
}

/** Code 0 is null, which no text is. */
function areWithoutNull(words: Uint32Array, size: number): Finding {
  const count = wordCount(size + 1);
  for (let i = 0; i < words.length; i += count) if (words[i] & 1) return wrongItem(i, words[i], 'no bit 0');
  return null;
}

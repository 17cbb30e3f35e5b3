import type { FoldedTexts } from './folded-texts.ts';
import { lowered, separator } from './pattern.ts';
import { TrigramIndex } from './trigram-index.ts';

/**
 * Builds the trigram index of texts. They are read twice: for the lengths of the lists, then to write them. On the way
 * a table has a place of 8 bytes for each trigram over the bytes that occur: some megabytes for most scripts.
 */
export function buildTrigrams(texts: FoldedTexts): TrigramIndex {
  const { alphabet, ranks } = lettersOf(texts);
  const table = new Int32Array(2 * alphabet.length ** 3);
  readTrigrams(texts, ranks, alphabet.length, table, null);
  const trigrams: number[] = [];
  const offsets: number[] = [];
  let end = 0;
  let place = 0;
  for (const first of alphabet) {
    for (const second of alphabet) {
      for (const third of alphabet) {
        const length = table[place + 1];
        if (length > 0) {
          trigrams.push((first << 16) | (second << 8) | third);
          offsets.push(end);
        }
        table[place] = 0;
        table[place + 1] = end;
        end += length;
        place += 2;
      }
    }
  }
  offsets.push(end);
  const gaps = new Uint8Array(end);
  readTrigrams(texts, ranks, alphabet.length, table, gaps);
  return new TrigramIndex(Uint32Array.from(trigrams), Uint32Array.from(offsets), gaps, texts.size);
}

/**
 * Reads all texts. For each trigram the table has two numbers: the code that it was last met in; and how long its list
 * is, or, where lists are to be written, where its list goes on.
 */
function readTrigrams(
  texts: FoldedTexts,
  ranks: Uint8Array,
  letters: number,
  table: Int32Array,
  lists: Uint8Array | null,
): void {
  // the separator is the greatest byte
  const edge = letters - 1;
  for (let code = 1; code <= texts.size; code++) {
    texts.moveTo(code - 1);
    const { bytes, start, end } = texts;
    let second = start < end ? ranks[bytes[start]] : edge;
    let pair = edge * letters + second;
    for (let at = start + 1; at < end + 2; at++) {
      const third = at < end ? ranks[bytes[at]] : edge;
      const place = 2 * (pair * letters + third);
      pair = second * letters + third;
      second = third;
      let gap = code - table[place];
      // met in this text already
      if (gap === 0) continue;
      table[place] = code;
      let next = table[place + 1];
      if (lists === null) next += gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : 4;
      else {
        for (; gap > 0x7f; gap >>>= 7) lists[next++] = gap | 0x80;
        lists[next++] = gap;
      }
      table[place + 1] = next;
    }
  }
}

/** The bytes that occur in the folded texts, and the separator, ascending; by byte, which of them it is read as. */
function lettersOf(texts: FoldedTexts): { alphabet: Uint8Array; ranks: Uint8Array } {
  const occurs = new Uint8Array(256);
  occurs[separator] = 1;
  for (let i = 0; i < texts.size; i++) {
    texts.moveTo(i);
    const { bytes, start, end } = texts;
    for (let at = start; at < end; at++) occurs[bytes[at]] = 1;
  }
  for (let byte = 0; byte < 256; byte++) if (occurs[byte]) occurs[lowered[byte]] = 1;
  const alphabet = Uint8Array.from(occurs.keys()).filter((byte) => occurs[byte] && lowered[byte] === byte);
  const ranks = lowered.map((byte) => alphabet.indexOf(byte));
  return { alphabet, ranks };
}

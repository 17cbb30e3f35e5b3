import type { FoldedTexts } from './folded-texts.ts';
import { lowered, separator } from './pattern.ts';
import { TrigramIndex } from './trigram-index.ts';

/**
 * Builds the trigram index of texts. They are read twice: for the lengths of the lists, then to write them. On the way
 * a table has a place of 8 bytes for each trigram over the bytes that occur: some megabytes for most scripts.
 */
export function buildTrigrams(texts: FoldedTexts): TrigramIndex {
  const { alphabet, ranks } = lettersOf(texts);
  const letters = alphabet.length;
  const table = new Uint32Array(2 * letters ** 3);
  const met: number[] = [];
  readTrigrams(texts, ranks, letters, table, (place) => met.push(place));
  // places ascend as the trigrams do
  const places = Uint32Array.from(met).sort();
  const trigrams = new Uint32Array(places.length);
  const offsets = new Uint32Array(places.length + 1);
  let end = 0;
  for (let i = 0; i < places.length; i++) {
    const place = places[i];
    const letter = place / 2;
    const first = alphabet[Math.floor(letter / letters ** 2)];
    const second = alphabet[Math.floor(letter / letters) % letters];
    trigrams[i] = (first << 16) | (second << 8) | alphabet[letter % letters];
    offsets[i] = end;
    end += table[place + 1];
    table[place] = 0;
    table[place + 1] = offsets[i];
  }
  offsets[places.length] = end;
  const gaps = new Uint8Array(end);
  readTrigrams(texts, ranks, letters, table, gaps);
  return new TrigramIndex(trigrams, offsets, gaps, texts.size);
}

/**
 * Reads all texts. For each trigram the table has two numbers: the code that it was last met in; and how long its list
 * is, or, where lists are to be written, where its list goes on. `lists` is where to write them, or what is told of
 * the place of each trigram when it is first met.
 */
function readTrigrams(
  texts: FoldedTexts,
  ranks: Uint8Array,
  letters: number,
  table: Uint32Array,
  lists: Uint8Array | ((place: number) => void),
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
      if (typeof lists === 'function') {
        if (next === 0) lists(place);
        next += gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : 4;
      } else {
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

import type { FoldedTexts } from './folded-texts.ts';
import { lowered, separator } from './pattern.ts';
import { TrigramIndex } from './trigram-index.ts';

/**
 * Builds the trigram index of texts. They are read twice: for the lengths of the lists, then to write them. On the way
 * a table has a place of 8 bytes for each trigram over the bytes that occur: some megabytes for most scripts.
 */
export function buildTrigrams(texts: FoldedTexts): TrigramIndex {
  const { size } = texts;
  const { alphabet, ranks, longest } = lettersOf(texts);
  /** For each place the code that was last met there, and then the length of its list, or where the list goes on. */
  const table = new Int32Array(2 * alphabet.length ** 3);
  /** Of one text: twice the place of each trigram, once, and the gap to the code that was met there before. */
  const places = new Int32Array(longest + 1);
  const gaps = new Int32Array(longest + 1);

  const read = (code: number): number => {
    texts.moveTo(code - 1);
    const { bytes, start, end } = texts;
    const letters = alphabet.length;
    const edge = letters - 1;
    let count = 0;
    let pair = edge * letters + (start < end ? ranks[bytes[start]] : edge);
    let second = pair - edge * letters;
    for (let at = start + 1; at < end + 2; at++) {
      const third = at < end ? ranks[bytes[at]] : edge;
      const place = 2 * (pair * letters + third);
      const last = table[place];
      if (last !== code) {
        table[place] = code;
        places[count] = place;
        gaps[count++] = code - last;
      }
      pair = second * letters + third;
      second = third;
    }
    return count;
  };

  for (let code = 1; code <= size; code++) {
    const count = read(code);
    for (let i = 0; i < count; i++) {
      const gap = gaps[i];
      table[places[i] + 1] += gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : 4;
    }
  }

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

  const lists = new Uint8Array(end);
  for (let code = 1; code <= size; code++) {
    const count = read(code);
    for (let i = 0; i < count; i++) {
      const place = places[i];
      let at = table[place + 1];
      let gap = gaps[i];
      for (; gap > 0x7f; gap >>>= 7) lists[at++] = gap | 0x80;
      lists[at++] = gap;
      table[place + 1] = at;
    }
  }
  return new TrigramIndex(Uint32Array.from(trigrams), Uint32Array.from(offsets), lists, size);
}

/** The bytes that occur in the folded texts, and the separator, ascending; by byte, which of them it is read as. */
function lettersOf(texts: FoldedTexts): { alphabet: Uint8Array; ranks: Uint8Array; longest: number } {
  const occurs = new Uint8Array(256);
  occurs[separator] = 1;
  let longest = 0;
  for (let i = 0; i < texts.size; i++) {
    texts.moveTo(i);
    const { bytes, start, end } = texts;
    for (let at = start; at < end; at++) occurs[bytes[at]] = 1;
    longest = Math.max(longest, end - start);
  }
  for (let byte = 0; byte < 256; byte++) if (occurs[byte]) occurs[lowered[byte]] = 1;
  const alphabet = Uint8Array.from(occurs.keys()).filter((byte) => occurs[byte] && lowered[byte] === byte);
  const ranks = lowered.map((byte) => alphabet.indexOf(byte));
  return { alphabet, ranks, longest };
}

import { CostBudget } from '../../../core/cost-budget.ts';
import type { Allocator } from '../../../core/memory/allocator.ts';
import { wordCount } from '../../../core/sets/bit-set.ts';
import { firstWhere } from '../../../core/sets/row-set.ts';
import type { FoldedTexts } from '../../texts/folded-texts.ts';
import { lowerCased, separator } from '../../texts/pattern.ts';
import { TrigramIndex, type TrigramLists } from '../../texts/trigram-index.ts';

/**
 * Builds the trigram index of texts. They are read twice: for the lengths of the lists, then to write them. Meanwhile a
 * table takes 8 bytes for each trigram over the bytes that occur: at most 100 MB, and some megabytes for most scripts.
 */
export function buildTrigrams(texts: FoldedTexts, allocator: Allocator): TrigramIndex {
  const { alphabet, ranks } = bytesOf(texts);
  const letters = alphabet.length;
  /**
   * By trigram: the code that it last occurred in, and the length of its list, then the place where the list goes on.
   */
  const table = new Uint32Array(2 * letters ** 3);
  const occurring: number[] = [];
  readTrigrams(texts, ranks, letters, table, (entry, gap) => {
    if (table[entry + 1] === 0) occurring.push(entry);
    table[entry + 1] += gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : 4;
  });
  // entries ascend as their trigrams do
  const entries = Uint32Array.from(occurring).sort();
  const trigrams = allocator.uint32(entries.length);
  const offsets = allocator.uint32(entries.length + 1);
  let end = 0;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    const trigram = entry / 2;
    const first = alphabet[Math.floor(trigram / letters ** 2)];
    const second = alphabet[Math.floor(trigram / letters) % letters];
    trigrams[i] = (first << 16) | (second << 8) | alphabet[trigram % letters];
    offsets[i] = end;
    end += table[entry + 1];
    table[entry] = 0;
    table[entry + 1] = offsets[i];
  }
  offsets[entries.length] = end;
  const gaps = allocator.uint8(end);
  readTrigrams(texts, ranks, letters, table, (entry, gap) => {
    let next = table[entry + 1];
    let rest = gap;
    for (; rest > 0x7f; rest >>>= 7) gaps[next++] = rest | 0x80;
    gaps[next++] = rest;
    table[entry + 1] = next;
  });
  return withFrequentBytes({ trigrams, offsets, gaps }, texts.size, allocator);
}

/** The bytes whose lists have, together, at least as many bytes as there are texts: those of most letters. */
function frequentBytes({ trigrams, offsets }: TrigramLists, size: number): number[] {
  const frequent: number[] = [];
  const listFrom = (trigram: number) => firstWhere(trigrams.length, (list) => trigrams[list] >= trigram);
  for (let byte = 0; byte < separator; byte++) {
    if (offsets[listFrom((byte + 1) << 16)] - offsets[listFrom(byte << 16)] >= size) frequent.push(byte);
  }
  return frequent;
}

/** Stores the union of all lists of the bytes for which decoding them at each search would cost most. */
function withFrequentBytes(lists: TrigramLists, size: number, allocator: Allocator): TrigramIndex {
  const none = { bytes: new Uint8Array(0), words: new Uint32Array(0) };
  const index = new TrigramIndex(lists, none, size);
  const frequent = frequentBytes(lists, size);
  const bytes = allocator.uint8(frequent.length);
  bytes.set(frequent);
  const wordsPerByte = wordCount(size + 1);
  const words = allocator.uint32(frequent.length * wordsPerByte);
  const budget = new CostBudget(Number.POSITIVE_INFINITY);
  for (const [i, byte] of frequent.entries()) {
    words.set(index.textsContaining(Uint8Array.of(byte), budget).words, i * wordsPerByte);
  }
  return new TrigramIndex(lists, { bytes, words }, size);
}

/**
 * Calls `take` for each trigram of each text once, in ascending order of codes, with the place of its entry in the
 * table and the gap to the code that it last occurred in. Updates that code.
 */
function readTrigrams(
  texts: FoldedTexts,
  ranks: Uint8Array,
  letters: number,
  table: Uint32Array,
  take: (entry: number, gap: number) => void,
): void {
  // the separator is the greatest byte
  const edge = letters - 1;
  const text = texts.cursor();
  for (let code = 1; code <= texts.size; code++) {
    text.moveTo(code - 1);
    const { bytes, start, end } = text;
    let second = start < end ? ranks[bytes[start]] : edge;
    let pair = edge * letters + second;
    for (let at = start + 1; at < end + 2; at++) {
      const third = at < end ? ranks[bytes[at]] : edge;
      const entry = 2 * (pair * letters + third);
      pair = second * letters + third;
      second = third;
      const gap = code - table[entry];
      // it has occurred in this text already
      if (gap === 0) continue;
      table[entry] = code;
      take(entry, gap);
    }
  }
}

/** Returns the bytes of the folded texts and the separator, ascending, and the rank of each byte among them, folded. */
function bytesOf(texts: FoldedTexts): { alphabet: Uint8Array; ranks: Uint8Array } {
  const occurs = new Uint8Array(256);
  occurs[separator] = 1;
  const text = texts.cursor();
  for (let i = 0; i < texts.size; i++) {
    text.moveTo(i);
    const { bytes, start, end } = text;
    for (let at = start; at < end; at++) occurs[bytes[at]] = 1;
  }
  for (let byte = 0; byte < 256; byte++) if (occurs[byte]) occurs[lowerCased[byte]] = 1;
  const alphabet = Uint8Array.from(occurs.keys()).filter((byte) => occurs[byte] && lowerCased[byte] === byte);
  const ranks = lowerCased.map((byte) => alphabet.indexOf(byte));
  return { alphabet, ranks };
}

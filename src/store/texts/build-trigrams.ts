import { CostBudget } from '../../core/cost-budget.ts';
import type { Allocator } from '../../core/memory/allocator.ts';
import { wordCount } from '../../core/sets/bit-set.ts';
import { firstWhere } from '../../core/sets/row-set.ts';
import type { Steps } from '../../core/steps.ts';
import type { FoldedTexts } from './folded-texts.ts';
import { lowerCased, separator } from './pattern.ts';
import { TrigramIndex, type TrigramLists } from './trigram-index.ts';

/** How many texts one step reads, unless they are long. */
const textsPerStep = 256;
const bytesPerStep = 64 * 1024;

/**
 * Builds the trigram index of texts. They are read twice: for the lengths of the lists, then to write them. Meanwhile a
 * table takes 8 bytes for each trigram over the bytes that occur: at most 100 MB, and some megabytes for most scripts.
 */
export function* buildTrigramsInSteps(texts: FoldedTexts, allocator: Allocator): Steps<TrigramIndex> {
  const { alphabet, ranks } = bytesOf(texts);
  yield;
  const letters = alphabet.length;
  /**
   * By trigram: the code that it last occurred in, and the length of its list, then the place where the list goes on.
   */
  const table = new Uint32Array(2 * letters ** 3);
  const occurring: number[] = [];
  yield* readTrigramsInSteps(texts, ranks, letters, table, (entry, gap) => {
    if (table[entry + 1] === 0) occurring.push(entry);
    table[entry + 1] += gapBytes(gap);
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
  yield* readTrigramsInSteps(texts, ranks, letters, table, (entry, gap) => {
    table[entry + 1] = writeGap(gaps, table[entry + 1], gap);
  });
  return yield* withFrequentBytesInSteps({ trigrams, offsets, gaps }, texts.size, allocator);
}

/** How many bytes of a list a gap takes. */
function gapBytes(gap: number): number {
  return gap < 0x80 ? 1 : gap < 0x4000 ? 2 : gap < 0x200000 ? 3 : 4;
}

/** Writes a gap, and returns the place after it. */
function writeGap(gaps: Uint8Array | number[], place: number, gap: number): number {
  let next = place;
  let rest = gap;
  for (; rest > 0x7f; rest >>>= 7) gaps[next++] = rest | 0x80;
  gaps[next++] = rest;
  return next;
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
function* withFrequentBytesInSteps(lists: TrigramLists, size: number, allocator: Allocator): Steps<TrigramIndex> {
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
    yield;
  }
  return new TrigramIndex(lists, { bytes, words }, size);
}

/**
 * Calls `take` for each trigram of each text once, in ascending order of codes, with the place of its entry in the
 * table and the gap to the code that it last occurred in. Updates that code.
 */
function* readTrigramsInSteps(
  texts: FoldedTexts,
  ranks: Uint8Array,
  letters: number,
  table: Uint32Array,
  take: (entry: number, gap: number) => void,
): Steps<void> {
  // the separator is the greatest byte
  const edge = letters - 1;
  const text = texts.cursor();
  /** Reads texts from `first` on until they are many or long, and returns the code of the next one. */
  const readSome = (first: number): number => {
    let code = first;
    let length = 0;
    for (const last = Math.min(first + textsPerStep, texts.size + 1); code < last && length < bytesPerStep; code++) {
      text.moveTo(code - 1);
      const { bytes, start, end } = text;
      length += end - start;
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
    return code;
  };
  for (let code = 1; code <= texts.size; ) {
    code = readSome(code);
    yield;
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

/** The posting list of one trigram while it is written. */
interface OpenList {
  readonly gaps: number[];
  /** The code that was added last. */
  last: number;
}

/**
 * Reads the texts for the lists that a search for one folded pattern decodes, as they are in the index of all trigrams.
 * So a search finds the same at the same cost before there is an index. Takes about two nanoseconds for each byte.
 */
export function trigramsOfPattern(texts: FoldedTexts, pattern: Uint8Array): TrigramIndex {
  const open = new Map<number, OpenList>();
  /** Whether a trigram of the pattern begins with two bytes: tested first, as few do. */
  const begins = new Uint8Array(2 ** 16);
  const isShort = pattern.length < 3;
  if (isShort) {
    const [first, second] = pattern;
    if (pattern.length === 2) begins[(first << 8) | second] = 1;
    else begins.fill(1, first << 8, (first + 1) << 8);
  }
  for (let i = 0; i + 2 < pattern.length; i++) {
    const pair = (pattern[i] << 8) | pattern[i + 1];
    begins[pair] = 1;
    open.set((pair << 8) | pattern[i + 2], { gaps: [], last: 0 });
  }
  const text = texts.cursor();
  for (let code = 1; code <= texts.size; code++) {
    text.moveTo(code - 1);
    const { bytes, start, end } = text;
    let pair = (separator << 8) | (start < end ? lowerCased[bytes[start]] : separator);
    for (let at = start + 1; at < end + 2; at++) {
      const third = at < end ? lowerCased[bytes[at]] : separator;
      if (begins[pair] === 1) {
        const trigram = (pair << 8) | third;
        let list = open.get(trigram);
        if (!list && isShort) open.set(trigram, (list = { gaps: [], last: 0 }));
        if (list && list.last < code) {
          writeGap(list.gaps, list.gaps.length, code - list.last);
          list.last = code;
        }
      }
      pair = ((pair & 0xff) << 8) | third;
    }
  }
  const lists = concatenated(open);
  const none = { bytes: new Uint8Array(0), words: new Uint32Array(0) };
  const index = new TrigramIndex(lists, none, texts.size);
  if (pattern.length !== 1 || frequentBytes(lists, texts.size).length === 0) return index;
  // what the index of all trigrams has as bits is charged nothing
  const { words } = index.textsContaining(pattern, new CostBudget(Number.POSITIVE_INFINITY));
  return new TrigramIndex(lists, { bytes: Uint8Array.of(pattern[0]), words }, texts.size);
}

function concatenated(open: ReadonlyMap<number, OpenList>): TrigramLists {
  const lists = [...open].filter(([, { gaps }]) => gaps.length > 0).sort(([a], [b]) => a - b);
  const offsets = new Uint32Array(lists.length + 1);
  for (const [i, [, { gaps }]] of lists.entries()) offsets[i + 1] = offsets[i] + gaps.length;
  const gaps = new Uint8Array(offsets[lists.length]);
  for (const [i, [, list]] of lists.entries()) gaps.set(list.gaps, offsets[i]);
  return { trigrams: Uint32Array.from(lists, ([trigram]) => trigram), offsets, gaps };
}

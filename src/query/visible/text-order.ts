/** The order of texts in a language. Texts that the language does not tell apart have one place. */
import type { DeltaColumn } from '../../store/overlay/delta-column.ts';
import type { SortedTexts } from '../../store/texts/sorted-texts.ts';

export interface TextOrder {
  /** By code, from 1; 0 for null. */
  readonly places: Uint32Array;
  /** By place, less 1: the number of a text that has it. */
  readonly examples: Uint32Array;
}

/** The places of a column's values, and of those of its delta. */
export interface PlacesOfBoth {
  readonly stored: Uint32Array;
  readonly own: Uint32Array;
  readonly greatest: number;
}

type Compare = (a: string, b: string) => number;

function comparisonIn(language: string): Compare {
  return new Intl.Collator(language, { usage: 'sort' }).compare;
}

/** Orders texts. They are sorted by code points before, which takes most comparisons off the sort. */
export function orderTexts(texts: SortedTexts, language: string): TextOrder {
  const compare = comparisonIn(language);
  const written = Array.from({ length: texts.size }, (_, i) => texts.text(i));
  const sorted = Array.from(written.keys()).sort((a, b) => compare(written[a], written[b]));
  const places = new Uint32Array(texts.size + 1);
  const examples = new Uint32Array(texts.size);
  let place = 0;
  for (const [i, number] of sorted.entries()) {
    if (i === 0 || compare(written[sorted[i - 1]], written[number]) !== 0) examples[place++] = number;
    places[number + 1] = place;
  }
  return { places, examples: examples.slice(0, place) };
}

/** Orders the values of a column, whose order is known, and those that only its delta has. */
export function mergeOrders(
  texts: SortedTexts,
  { places, examples }: TextOrder,
  { baseCodes, dictionary }: DeltaColumn,
  language: string,
): PlacesOfBoth {
  const compare = comparisonIn(language);
  const added: { code: number; text: string; before: number; isKnown: boolean }[] = [];
  for (let code = 1; code < baseCodes.length; code++) {
    if (baseCodes[code] >= 0) continue;
    const text = (dictionary as SortedTexts).text(code - 1);
    added.push({ code, text, ...placeAmong(examples, (number) => compare(texts.text(number), text)) });
  }
  added.sort((a, b) => a.before - b.before || Number(b.isKnown) - Number(a.isKnown) || compare(a.text, b.text));
  const own = new Uint32Array(baseCodes.length);
  /** By place less 1: how many new places there are before it. */
  const shifts = new Uint32Array(examples.length + 1);
  let fresh = 0;
  for (const [i, { code, text, before, isKnown }] of added.entries()) {
    if (isKnown) continue;
    const last = added[i - 1];
    const isNew = !last || last.isKnown || last.before !== before || compare(last.text, text) !== 0;
    if (isNew) {
      fresh++;
      shifts[before]++;
    }
    own[code] = before + fresh;
  }
  for (let i = 1; i < shifts.length; i++) shifts[i] += shifts[i - 1];
  const stored = places.map((place) => (place === 0 ? 0 : place + shifts[place - 1]));
  for (let code = 1; code < baseCodes.length; code++) if (baseCodes[code] >= 0) own[code] = stored[baseCodes[code]];
  for (const { code, before, isKnown } of added) if (isKnown) own[code] = before + 1 + shifts[before];
  return { stored, own, greatest: examples.length + fresh };
}

/** Returns how many examples come before a text, and whether the next one equals it. `compare` compares one with the text. */
function placeAmong(examples: Uint32Array, compare: (number: number) => number): { before: number; isKnown: boolean } {
  let low = 0;
  let high = examples.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(examples[middle]) < 0) low = middle + 1;
    else high = middle;
  }
  return { before: low, isKnown: low < examples.length && compare(examples[low]) === 0 };
}

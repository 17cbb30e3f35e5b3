/**
 * Collations of MySQL and MariaDB as keys. A text has two: queries compare and sort by the one, and LIKE looks for a part of
 * the other, which has a character for each character of the text. Texts with equal keys are equal to the server.
 */

import { mapAt } from '../../core/map-at.ts';
import { foldCase } from '../schema/compared-texts.ts';
import { impliedCodePoint, readWeights, type Weights, type WeightTableName, weightsAbove } from './weights.ts';

export interface TextKeys {
  /** Returns a text whose code points are in the order of the collation. */
  order(text: string): string;
  /** Returns the text with one character in place of all that LIKE takes for the same. */
  search(text: string): string;
}

/** What is known of a collation by its name. */
export interface Collation {
  /** The collation whose rules decide, if it is another one: that of a language. */
  readonly nearest: string | null;
  /** Null if texts are compared by their code points, as with a collation that sees case. */
  readonly keys: TextKeys | null;
}

/** The collations without the rules of a language, after their character set. */
const roots: Readonly<Record<string, WeightTableName | 'folded'>> = {
  general_ci: 'general',
  unicode_ci: 'unicode',
  unicode_520_ci: 'unicode_520',
  '0900_ai_ci': '0900_ai',
  uca1400_ai_ci: 'uca1400_ai',
  '0900_as_ci': 'folded',
  uca1400_as_ci: 'folded',
};

/** Returns the collation of a name such as `utf8mb4_unicode_ci`. An unknown name is taken for the most similar known one. */
export function collationOf(name: string): Collation {
  const written = name.toLowerCase();
  if (/_bin$|_cs$|^binary$/.test(written)) return { nearest: null, keys: null };
  const ignoresPadding = !/0900|nopad/.test(written);
  const rules = written.replace(/^(utf8mb4|utf8mb3|utf8|ucs2|utf16|utf16le|utf32)_/, '').replace('nopad_', '');
  const known = Object.hasOwn(roots, rules);
  const root = known ? rules : (Object.keys(roots).find((other) => rules.endsWith(other)) ?? 'unicode_ci');
  return { nearest: known ? null : `utf8mb4_${root}`, keys: keysOf(roots[root], ignoresPadding) };
}

const made = new Map<string, TextKeys>();

function keysOf(table: WeightTableName | 'folded', ignoresPadding: boolean): TextKeys {
  const id = `${table} ${ignoresPadding}`;
  let keys = made.get(id);
  if (!keys) {
    keys =
      table === 'folded' ? { order: foldCase, search: foldCase } : new WeightKeys(readWeights(table), ignoresPadding);
    made.set(id, keys);
  }
  return keys;
}

/** Characters whose weights have a code of one byte. */
const commonCharacters = ` -_,.;:!?'"()/&@#+*=%0123456789abcdefghijklmnopqrstuvwxyz`;

const firstSurrogate = 0xd800;
const surrogates = 0x800;

class WeightKeys implements TextKeys {
  readonly #weights: Weights;
  readonly #ignoresPadding: boolean;
  /** The weights of common characters, ascending. */
  readonly #common: readonly number[];
  readonly #blank: string;
  readonly #orders: CharacterMap;
  readonly #representatives: CharacterMap;

  constructor(weights: Weights, ignoresPadding: boolean) {
    this.#weights = weights;
    this.#ignoresPadding = ignoresPadding;
    const common = Array.from(commonCharacters, (character) => weights.of(character.codePointAt(0)!)[0]);
    this.#common = [...new Set(common)].sort((a, b) => a - b);
    this.#orders = new CharacterMap((codePoint) => this.#orderOf(codePoint));
    const representatives = representativesOf(weights);
    this.#representatives = new CharacterMap(
      (codePoint) => representatives.get(String(weights.of(codePoint))) ?? String.fromCodePoint(codePoint),
    );
    this.#blank = this.#orderOf(0x20);
  }

  order(text: string): string {
    const key = this.#orders.map(text);
    if (!this.#ignoresPadding || !key.endsWith(this.#blank)) return key;
    let end = key.length;
    while (end > 0 && key[end - 1] === this.#blank) end--;
    return key.slice(0, end);
  }

  search(text: string): string {
    return this.#representatives.map(text);
  }

  #orderOf(codePoint: number): string {
    return Array.from(this.#weights.of(codePoint), (weight) => this.#codeOf(weight)).join('');
  }

  /**
   * Returns one character for a common weight and for those above all common ones, otherwise two. Codes have the order of
   * weights, and none is the beginning of another.
   */
  #codeOf(weight: number): string {
    const common = this.#common;
    const above = common.findIndex((other) => other >= weight);
    if (above < 0) return characterOf(0x80 + weight - common[common.length - 1]);
    if (common[above] === weight) return String.fromCharCode(2 * above + 2);
    return String.fromCharCode(2 * above + 1) + characterOf(weight);
  }
}

/** Maps each character of a text, and remembers what it has mapped. */
class CharacterMap {
  readonly #mapCharacter: (codePoint: number) => string;
  readonly #known: string[] = new Array(0x10000);
  readonly #others = new Map<number, string>();

  constructor(mapCharacter: (codePoint: number) => string) {
    this.#mapCharacter = mapCharacter;
  }

  map(text: string): string {
    const known = this.#known;
    let mapped = '';
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= firstSurrogate && unit < firstSurrogate + surrogates / 2) {
        const codePoint = text.codePointAt(i)!;
        mapped += mapAt(this.#others, codePoint, () => this.#mapCharacter(codePoint));
        i++;
      } else mapped += known[unit] ??= this.#mapCharacter(unit);
    }
    return mapped;
  }
}

function characterOf(number: number): string {
  return String.fromCodePoint(number < firstSurrogate ? number : number + surrogates);
}

/**
 * Returns the characters that stand for all with the same weights, by these: one whose weights follow from its number, or
 * the first in lower case.
 */
function representativesOf({ written, name }: Weights): Map<string, string> {
  const found = new Map<string, string>();
  for (const [codePoint, weights] of written) {
    const key = String(weights);
    const first = found.get(key);
    if (first !== undefined && first === foldCase(first)) continue;
    const characters = [impliedCodePoint(name, weights) ?? codePoint, codePoint].map((at) => String.fromCodePoint(at));
    const folded = characters.find((character) => character === foldCase(character));
    if (folded !== undefined || first === undefined) found.set(key, folded ?? characters[0]);
  }
  // unicode_ci has equal weights for them, but LIKE tells them apart
  if (name === 'general') found.set(String(weightsAbove), '\ufffd');
  return found;
}

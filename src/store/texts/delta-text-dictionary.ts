import type { CostBudget } from '../../core/cost-budget.ts';
import { BitSet } from '../../core/sets/bit-set.ts';
import type { CodeSet } from '../../core/sets/code-set.ts';
import { firstWhere } from '../../core/sets/row-set.ts';
import { foldCase } from '../../model/schema/compared-texts.ts';
import { foldText } from './folded-texts.ts';
import {
  type CaseRule,
  longestLiteral,
  lowerCased,
  type MatchMode,
  matchesPattern,
  needleFor,
  patternFor,
  separator,
  unchanged,
} from './pattern.ts';
import { SortedTexts } from './sorted-texts.ts';
import { codesOfAll, searchCost } from './text-search.ts';
import { TextSignatures } from './text-signatures.ts';

/** A text in memory of its own. All dictionaries that have it share it. */
export class DeltaText {
  /** UTF-8 between two separators. */
  readonly bytes: Uint8Array;
  #folded: Uint8Array | null = null;
  #signatures: TextSignatures | null = null;
  #number = 0;

  /** Copies `bytes`: the text between two separators. */
  constructor(bytes: Uint8Array) {
    this.bytes = new Uint8Array(bytes);
  }

  toString(): string {
    return Buffer.from(this.bytes).toString('utf8', 1, this.bytes.length - 1);
  }

  /** The folded text between two separators, to be read through `lowerCased`. It is made at the first use. */
  get folded(): Uint8Array {
    this.#folded ??= this.#fold();
    return this.#folded;
  }

  /** Returns the number of the text in signatures, to which it is added if it is not among them. */
  numberIn(signatures: TextSignatures): number {
    if (this.#signatures !== signatures) {
      this.#number = signatures.add(this.folded);
      this.#signatures = signatures;
    }
    return this.#number;
  }

  #fold(): Uint8Array {
    const { bytes } = this;
    const folded = foldText(Buffer.from(bytes), 1, bytes.length - 1);
    if (folded === null) return bytes;
    const edge = Uint8Array.of(separator);
    return new Uint8Array(Buffer.concat([edge, Buffer.from(folded), edge]));
  }
}

/** Fewer texts are searched one by one. */
const fewTexts = 64;

/** Texts and their numbers in signatures. */
interface SignedTexts {
  readonly signatures: TextSignatures;
  /** By number in the signatures: the value; -1 for texts of other dictionaries. */
  readonly values: Int32Array;
}

/**
 * The texts of a delta's column. The next dictionary takes over the texts that it keeps without reading them, and their
 * signatures, so a batch of changes costs what its own texts cost. Signatures are made by the first search of all.
 */
export class DeltaTextDictionary extends SortedTexts {
  /** In the order of the values. */
  readonly texts: readonly DeltaText[];
  /** Of this dictionary or of one before. */
  #signatures: TextSignatures | null;
  #signed: SignedTexts | null = null;
  #byteCount: number | null = null;

  /** `earlier` is the dictionary before the last batch. */
  constructor(texts: readonly DeltaText[], earlier: DeltaTextDictionary | null = null) {
    super();
    this.texts = texts;
    this.#signatures = earlier === null ? null : earlier.#signatures;
  }

  get size(): number {
    return this.texts.length;
  }

  text(i: number): string {
    return this.texts[i].toString();
  }

  withSeparators(i: number): Buffer {
    const { buffer, byteOffset, length } = this.texts[i].bytes;
    return Buffer.from(buffer, byteOffset, length);
  }

  search(needle: string, mode: MatchMode, rule: CaseRule, budget: CostBudget): CodeSet {
    const { size } = this;
    if (needle === '' && mode !== 'whole') return { kind: 'bits', codes: codesOfAll(size) };
    const foldedPattern = patternFor(foldCase(needle), mode);
    this.#byteCount ??= this.texts.reduce((sum, { bytes }) => sum + bytes.length, 0);
    // as if each text were searched, so that the cost depends on the content alone
    const costOf = (length: number) => searchCost(length, foldedPattern, mode);
    budget.charge((size - 1) * costOf(0) + costOf(this.#byteCount));
    const pattern = patternFor(needleFor(needle, rule), mode);
    const codes: number[] = [];
    for (const i of this.#candidates(mode === 'wildcard' ? longestLiteral(foldedPattern) : foldedPattern)) {
      if (this.#matches(i, pattern, mode, rule)) codes.push(i + 1);
    }
    return { kind: 'list', codes: Uint32Array.from(codes) };
  }

  /** The values that may contain a folded pattern, ascending. */
  #candidates(pattern: Uint8Array): Iterable<number> {
    if (this.size < fewTexts || pattern.length < 2) return this.texts.keys();
    this.#signed ??= this.#sign();
    const { signatures, values } = this.#signed;
    const found = new BitSet(this.size);
    for (const number of signatures.candidates(pattern).toArray()) {
      if (number < values.length && values[number] >= 0) found.add(values[number]);
    }
    return found.toArray();
  }

  #sign(): SignedTexts {
    const { texts, size } = this;
    // most of their texts are gone
    if (this.#signatures && this.#signatures.size > 2 * size + fewTexts) this.#signatures = null;
    this.#signatures ??= new TextSignatures(this.#byteCount! / size, 2 * size);
    const signatures = this.#signatures;
    const numbers = texts.map((text) => text.numberIn(signatures));
    const values = new Int32Array(signatures.size).fill(-1);
    for (let i = 0; i < size; i++) values[numbers[i]] = i;
    return { signatures, values };
  }

  #matches(i: number, pattern: Buffer, mode: MatchMode, rule: CaseRule): boolean {
    const bytes = rule === 'folded' ? this.texts[i].folded : this.texts[i].bytes;
    // a longer pattern would be compared beyond the ends of the text
    if (pattern.length > bytes.length) return false;
    return matchesPattern(bytes, 1, bytes.length - 1, rule === 'exact' ? unchanged : lowerCased, pattern, mode);
  }

  protected countBelow(operand: Uint8Array, orEqual: boolean): number {
    const { texts } = this;
    const least = orEqual ? 1 : 0;
    return firstWhere(texts.length, (i) => compare(texts[i], operand) >= least);
  }

  protected isAt(i: number, operand: Uint8Array): boolean {
    return compare(this.texts[i], operand) === 0;
  }
}

/** Returns a number that is negative, 0 or positive if a text is less than, equal to or greater than an operand. */
function compare({ bytes }: DeltaText, operand: Uint8Array): number {
  const length = bytes.length - 2;
  const common = Math.min(length, operand.length);
  let at = 0;
  while (at < common && bytes[at + 1] === operand[at]) at++;
  return at < common ? bytes[at + 1] - operand[at] : length - operand.length;
}

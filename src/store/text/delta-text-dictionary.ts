import type { CostBudget } from '../../base/cost-budget.ts';
import { foldCase } from '../../model/case-folding.ts';
import { firstWhere } from '../../sets/binary-search.ts';
import type { CodeSet } from '../../sets/code-set.ts';
import { foldText } from './fold-text.ts';
import { JoinedTexts } from './joined-texts.ts';
import { lowerCased, type MatchMode, matchesPattern, patternFor, separator, unchanged } from './pattern.ts';
import { SortedTexts } from './sorted-texts.ts';
import { codesOfAll, searchCost } from './text-search.ts';

/** A text in memory of its own. All dictionaries that have it share it. */
export class DeltaText {
  /** UTF-8 between two separators. */
  readonly bytes: Uint8Array;
  #folded: Uint8Array | null = null;

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

  #fold(): Uint8Array {
    const { bytes } = this;
    const folded = foldText(Buffer.from(bytes), 1, bytes.length - 1);
    if (folded === null) return bytes;
    const edge = Uint8Array.of(separator);
    return new Uint8Array(Buffer.concat([edge, Buffer.from(folded), edge]));
  }
}

/**
 * The texts of a delta's column. The next dictionary takes over the texts that it keeps without reading them, so a batch
 * of changes does not copy long texts. Each search reads all texts: there is no trigram index.
 */
export class DeltaTextDictionary extends SortedTexts {
  /** In the order of the values. */
  readonly texts: readonly DeltaText[];
  /** Made by the first search. */
  #joined: JoinedTexts | null = null;

  constructor(texts: readonly DeltaText[]) {
    super();
    this.texts = texts;
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

  search(needle: string, mode: MatchMode, folded: boolean, budget: CostBudget): CodeSet {
    const { texts } = this;
    if (needle === '' && mode !== 'whole') return { kind: 'bits', codes: codesOfAll(texts.length) };
    const foldedPattern = patternFor(foldCase(needle), mode);
    const cost = (sum: number, { bytes }: DeltaText) => sum + searchCost(bytes.length, foldedPattern, mode);
    budget.charge(texts.reduce(cost, 0));
    const pattern = folded ? foldedPattern : patternFor(needle, mode);
    const matches = (i: number) => this.#matches(i, pattern, mode, folded);
    // the pattern of an empty text is two separators, as between any two joined texts
    const isJoined = mode !== 'wildcard' && needle !== '';
    const joined = isJoined ? (this.#joined ??= JoinedTexts.of(texts)) : null;
    if (!joined) return { kind: 'list', codes: codesOf(texts.keys(), matches) };
    const found = joined.find(foldedPattern);
    return { kind: 'list', codes: codesOf(found, folded ? () => true : matches) };
  }

  #matches(i: number, pattern: Buffer, mode: MatchMode, folded: boolean): boolean {
    const bytes = folded ? this.texts[i].folded : this.texts[i].bytes;
    // a longer pattern would be compared beyond the ends of the text
    if (pattern.length > bytes.length) return false;
    return matchesPattern(bytes, 1, bytes.length - 1, folded ? lowerCased : unchanged, pattern, mode);
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

function codesOf(values: Iterable<number>, matches: (i: number) => boolean): Uint32Array {
  const codes: number[] = [];
  for (const i of values) if (matches(i)) codes.push(i + 1);
  return Uint32Array.from(codes);
}

/** Returns a number that is negative, 0 or positive if a text is less than, equal to or greater than an operand. */
function compare({ bytes }: DeltaText, operand: Uint8Array): number {
  const length = bytes.length - 2;
  const common = Math.min(length, operand.length);
  let at = 0;
  while (at < common && bytes[at + 1] === operand[at]) at++;
  return at < common ? bytes[at + 1] - operand[at] : length - operand.length;
}

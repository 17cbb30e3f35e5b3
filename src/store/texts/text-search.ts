import type { CostBudget } from '../../core/cost-budget.ts';
import { BitSet } from '../../core/sets/bit-set.ts';
import type { CodeSet } from '../../core/sets/code-set.ts';
import { foldCase } from '../../model/schema/compared-texts.ts';
import { trigramsOfPattern } from './build-trigrams.ts';
import type { FoldedTexts } from './folded-texts.ts';
import {
  type CaseRule,
  longestLiteral,
  longestWildcardRun,
  lowerCased,
  type MatchMode,
  matchesPattern,
  needleFor,
  patternFor,
  startsWithWildcard,
  unchanged,
} from './pattern.ts';
import type { TrigramIndex } from './trigram-index.ts';

/** Cost of comparing a pattern at one place: the start or the end of a text. */
const placeCost = 75;

/** Cost of searching a text to its end, as most texts do not match: of the text, and of each of its bytes. */
const searchedTextCost = 50;
const searchedByteCost = 1.5;

/** A search with wildcards costs this many times more for each wildcard of the longest run. */
const wildcardFactor = 2;
/** The same for a pattern that begins with a wildcard: every character of a text may be its first. */
const firstWildcardFactor = 2;

/** A trigram index does not speed up searches in fewer bytes than this. */
const indexedBytes = 16 * 1024;

/**
 * Finds the values of a text dictionary that contain a text: candidates by their trigrams, then verified. Without an
 * index, a search reads the texts for the trigrams of its needle. It finds the same then, and is charged the same.
 */
export class TextSearch {
  readonly folded: FoldedTexts;
  /** Built when the texts are first searched, or with the store. It may be given up: only the speed depends on it. */
  trigrams: TrigramIndex | null;
  readonly #bytes: Buffer;
  readonly #offsets: Uint32Array;

  /** `bytes` and `offsets` are those of the TextDictionary. */
  constructor(bytes: Buffer, offsets: Uint32Array, folded: FoldedTexts, trigrams: TrigramIndex | null) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.folded = folded;
    this.trigrams = trigrams;
  }

  /** Whether an index pays. Otherwise every search reads all texts. */
  get hasTrigrams(): boolean {
    return this.#bytes.length >= indexedBytes;
  }

  /**
   * The codes of the values that match `needle`. The index has folded texts: where texts match by another rule, their
   * folded forms match too, so it returns candidates for every rule.
   */
  find(needle: string, mode: MatchMode, rule: CaseRule, budget: CostBudget): CodeSet {
    const { size } = this.folded;
    if (needle === '' && mode !== 'whole') return { kind: 'bits', codes: codesOfAll(size) };
    const foldedPattern = patternFor(foldCase(needle), mode);
    const hasWildcards = mode === 'wildcard';
    const literal = hasWildcards ? longestLiteral(foldedPattern) : foldedPattern;
    const found =
      literal.length > 0 && this.hasTrigrams
        ? (this.trigrams ?? trigramsOfPattern(this.folded, literal)).candidates(literal, budget)
        : { codes: codesOfAll(size), isExact: false };
    // where folding changes A to Z alone, the rules agree
    const isFolded =
      rule === 'folded' ||
      (rule === 'ascii' && this.folded.rewritten.numbers.length === 0 && needleFor(needle, rule) === foldCase(needle));
    if (found.isExact && isFolded && !hasWildcards) {
      const { codes } = found;
      return codes instanceof BitSet ? { kind: 'bits', codes } : { kind: 'list', codes };
    }
    const codes = found.codes instanceof BitSet ? found.codes.toArray() : found.codes;
    const averageLength = this.#bytes.length / this.#offsets.length;
    budget.charge(codes.length * searchCost(averageLength, foldedPattern, mode));
    const length =
      rule === 'folded'
        ? this.#keepFolded(codes, foldedPattern, mode)
        : this.#keep(codes, patternFor(needleFor(needle, rule), mode), mode, rule === 'ascii' ? lowerCased : unchanged);
    return { kind: 'list', codes: codes.subarray(0, length) };
  }

  /** Moves the codes of the values that match, read through `table`, to the front of the list. Returns their number. */
  #keep(codes: Uint32Array, pattern: Buffer, mode: MatchMode, table: Uint8Array): number {
    const bytes = this.#bytes;
    const offsets = this.#offsets;
    let kept = 0;
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i];
      const start = offsets[code - 1];
      const end = offsets[code] - 1;
      if (matchesPattern(bytes, start, end, table, pattern, mode)) codes[kept++] = code;
    }
    return kept;
  }

  /** The same for folded values. */
  #keepFolded(codes: Uint32Array, pattern: Buffer, mode: MatchMode): number {
    const text = this.folded.cursor();
    let kept = 0;
    for (let i = 0; i < codes.length; i++) {
      text.moveTo(codes[i] - 1);
      if (matchesPattern(text.bytes, text.start, text.end, lowerCased, pattern, mode)) codes[kept++] = codes[i];
    }
    return kept;
  }
}

/** Returns the cost of searching a text of `length` bytes for a pattern. */
export function searchCost(length: number, pattern: Uint8Array, mode: MatchMode): number {
  if (mode !== 'anywhere' && mode !== 'wildcard') return placeCost;
  const cost = searchedTextCost + searchedByteCost * length;
  return mode === 'wildcard' ? cost * wildcardCost(pattern) : cost;
}

/** How many times longer a search for a pattern takes because of its wildcards. */
function wildcardCost(pattern: Uint8Array): number {
  return wildcardFactor * longestWildcardRun(pattern) * (startsWithWildcard(pattern) ? firstWildcardFactor : 1);
}

/** The codes of all values, as a new set. */
export function codesOfAll(size: number): BitSet {
  const codes = BitSet.full(size + 1);
  codes.delete(0);
  return codes;
}

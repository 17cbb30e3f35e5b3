import type { CostBudget } from '../../base/cost-budget.ts';
import { foldCase } from '../../model/case-folding.ts';
import { BitSet } from '../../sets/bit-set.ts';
import type { CodeSet } from '../../sets/code-set.ts';
import type { FoldedTexts } from './folded-texts.ts';
import {
  type Anchor,
  anchoredPattern,
  containsAnchored,
  longestLiteral,
  longestWildcardRun,
  lowerCased,
  startsWithWildcard,
  unchanged,
} from './pattern.ts';
import type { TrigramIndex } from './trigram-index.ts';

/** Cost of comparing a pattern at one place: the start or the end of a text. */
const placeCost = 75;

/** A search with wildcards costs this many times more for each wildcard of the longest run. */
const wildcardFactor = 2;
/** The same for a pattern that begins with a wildcard: every character of a text may be its first. */
const firstWildcardFactor = 2;

/** Finds the values of a text dictionary that contain a text: candidates of the trigram index, then verified. */
export class TextSearch {
  readonly folded: FoldedTexts;
  /** Null for dictionaries that are so small that an index does not pay. */
  readonly trigrams: TrigramIndex | null;
  readonly #bytes: Buffer;
  readonly #offsets: Uint32Array;
  /** Cost of searching a text of average length to its end, as most texts do not match. */
  readonly #textCost: number;

  /** `bytes` and `offsets` are those of the TextDictionary. */
  constructor(bytes: Buffer, offsets: Uint32Array, folded: FoldedTexts, trigrams: TrigramIndex | null) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.folded = folded;
    this.trigrams = trigrams;
    this.#textCost = 50 + (1.5 * bytes.length) / offsets.length;
  }

  /** The codes of the values that contain `needle` at the anchor; `folded` ignores case. */
  find(needle: string, anchor: Anchor, folded: boolean, budget: CostBudget): CodeSet {
    const { size } = this.folded;
    if (needle === '' && anchor !== 'whole') return { kind: 'bits', codes: codesOfAll(size) };
    const foldedPattern = anchoredPattern(foldCase(needle), anchor);
    const hasWildcards = anchor === 'wildcard';
    const literal = hasWildcards ? longestLiteral(foldedPattern) : foldedPattern;
    const index = literal.length > 0 ? this.trigrams : null;
    const found = index?.candidates(literal, budget) ?? { codes: codesOfAll(size), isExact: false };
    if (found.isExact && folded && !hasWildcards) {
      const { codes } = found;
      return codes instanceof BitSet ? { kind: 'bits', codes } : { kind: 'list', codes };
    }
    const codes = found.codes instanceof BitSet ? found.codes.toArray() : found.codes;
    const textCost = anchor === 'anywhere' || hasWildcards ? this.#textCost : placeCost;
    budget.charge(codes.length * textCost * (hasWildcards ? wildcardCost(foldedPattern) : 1));
    const length = folded
      ? this.#keepFolded(codes, foldedPattern, anchor)
      : this.#keep(codes, anchoredPattern(needle, anchor), anchor);
    return { kind: 'list', codes: codes.subarray(0, length) };
  }

  /** Moves the codes of the values that match to the front of the list, and returns their number. */
  #keep(codes: Uint32Array, pattern: Buffer, anchor: Anchor): number {
    const bytes = this.#bytes;
    const offsets = this.#offsets;
    let kept = 0;
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i];
      const start = offsets[code - 1];
      const end = offsets[code] - 1;
      if (containsAnchored(bytes, start, end, unchanged, pattern, anchor)) codes[kept++] = code;
    }
    return kept;
  }

  /** The same for folded values. */
  #keepFolded(codes: Uint32Array, pattern: Buffer, anchor: Anchor): number {
    const text = this.folded.cursor();
    let kept = 0;
    for (let i = 0; i < codes.length; i++) {
      text.moveTo(codes[i] - 1);
      if (containsAnchored(text.bytes, text.start, text.end, lowerCased, pattern, anchor)) codes[kept++] = codes[i];
    }
    return kept;
  }
}

/** How many times longer a search for a pattern takes because of its wildcards. */
function wildcardCost(pattern: Buffer): number {
  return wildcardFactor * longestWildcardRun(pattern) * (startsWithWildcard(pattern) ? firstWildcardFactor : 1);
}

function codesOfAll(size: number): BitSet {
  const codes = BitSet.full(size + 1);
  codes.delete(0);
  return codes;
}

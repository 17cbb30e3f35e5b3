import type { CostBudget } from '../../base/cost-budget.ts';
import { foldCase } from '../../model/case-folding.ts';
import { BitSet } from '../../sets/bit-set.ts';
import type { Anchor, Codes } from '../dictionary.ts';
import { FoldedTexts } from './folded-texts.ts';
import {
  anchored,
  asItIs,
  holds,
  holdsWithGaps,
  longestGap,
  longestPart,
  lowered,
  standsAt,
  startsWithGap,
} from './pattern.ts';
import { buildTrigrams } from './trigram-builder.ts';
import type { TrigramIndex } from './trigram-index.ts';

/** Fewer bytes than this are looked through as quickly as an index is. */
const indexedBytes = 16 * 1024;

/** To look at one place of a text, at its start or its end, in steps. */
const placeCost = 75;

/** How much longer it takes to look for a pattern with gaps, for each gap that stands beside others. */
const gapsFactor = 2;
/** The same for a pattern that begins with a gap: every character of a text may be the first of it. */
const firstGapFactor = 2;

/** Finds the values of a text dictionary that hold a text: those that the trigram index gives, then looked through. */
export class TextSearch {
  readonly #bytes: Buffer;
  readonly #offsets: Uint32Array;
  readonly #folded: FoldedTexts;
  readonly #trigrams: TrigramIndex | null;
  /** To look one text through, in steps: to its end, since most do not hold what is looked for. */
  readonly #textCost: number;

  /** `bytes` and `offsets` as a TextDictionary has them. */
  constructor(bytes: Buffer, offsets: Uint32Array) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#folded = new FoldedTexts(bytes, offsets);
    this.#textCost = 50 + (1.5 * bytes.length) / offsets.length;
    this.#trigrams = bytes.length < indexedBytes ? null : buildTrigrams(this.#folded);
  }

  /** The codes of the values that hold `needle` at the anchored place; folded: whatever the case of either. */
  find(needle: string, anchor: Anchor, folded: boolean, work: CostBudget): Codes {
    const { size } = this.#folded;
    if (needle === '' && anchor !== 'whole') return codesOfAll(size);
    const foldedPattern = anchored(foldCase(needle), anchor);
    const hasGaps = anchor === 'gaps';
    const sought = hasGaps ? longestPart(foldedPattern) : foldedPattern;
    const index = sought.length > 0 ? this.#trigrams : null;
    const candidates = index?.candidates(sought, work) ?? { codes: codesOfAll(size), isExact: false };
    if (candidates.isExact && folded && !hasGaps) return candidates.codes;
    const codes = candidates.codes instanceof BitSet ? candidates.codes.toArray() : candidates.codes;
    const textCost = anchor === 'anywhere' || hasGaps ? this.#textCost : placeCost;
    work.charge(codes.length * textCost * (hasGaps ? gapsCost(foldedPattern) : 1));
    const length = folded
      ? this.#keepFolded(codes, foldedPattern, anchor)
      : this.#keep(codes, anchored(needle, anchor), anchor);
    return codes.subarray(0, length);
  }

  /** Keeps the codes of the values that hold a pattern as it is, in place, and gives their number. */
  #keep(codes: Uint32Array, pattern: Buffer, anchor: Anchor): number {
    const bytes = this.#bytes;
    const offsets = this.#offsets;
    let kept = 0;
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i];
      if (isHeld(bytes, offsets[code - 1], offsets[code] - 1, asItIs, pattern, anchor)) codes[kept++] = code;
    }
    return kept;
  }

  /** The same without regard to case. Gaps, which are only looked for so, must not reach over the edges of a value. */
  #keepFolded(codes: Uint32Array, pattern: Buffer, anchor: Anchor): number {
    const folded = this.#folded;
    let kept = 0;
    for (let i = 0; i < codes.length; i++) {
      folded.moveTo(codes[i] - 1);
      const { bytes, start, end } = folded;
      if (isHeld(bytes, start, end, lowered, pattern, anchor)) codes[kept++] = codes[i];
    }
    return kept;
  }
}

/** Whether a value, from `start` to `end`, holds an anchored pattern. */
function isHeld(
  bytes: Buffer,
  start: number,
  end: number,
  table: Uint8Array,
  pattern: Buffer,
  anchor: Anchor,
): boolean {
  switch (anchor) {
    case 'anywhere':
      return holds(bytes, start, end, table, pattern);
    case 'gaps':
      return holdsWithGaps(bytes, start, end, table, pattern);
    case 'end':
      return standsAt(bytes, end + 1 - pattern.length, table, pattern);
    default:
      return standsAt(bytes, start - 1, table, pattern);
  }
}

/** How much longer it takes to look for a pattern with gaps than for one without. */
function gapsCost(pattern: Buffer): number {
  return gapsFactor * longestGap(pattern) * (startsWithGap(pattern) ? firstGapFactor : 1);
}

function codesOfAll(size: number): BitSet {
  const codes = BitSet.full(size + 1);
  codes.delete(0);
  return codes;
}

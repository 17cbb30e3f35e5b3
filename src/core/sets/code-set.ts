/** Sets of codes of one column. Code 0 is null; value number i of a dictionary has the code i + 1. */
import { BitSet } from './bit-set.ts';

/** Codes from `low` up to, not including, `high`. */
export interface CodeRange {
  readonly low: number;
  readonly high: number;
}

export type CodeSet =
  /** Disjoint, ascending and not empty: the result of a lookup in a sorted dictionary. */
  | { readonly kind: 'ranges'; readonly ranges: readonly CodeRange[] }
  /** Ascending: the result of a search, usually one that verifies its candidates. */
  | { readonly kind: 'list'; readonly codes: Uint32Array }
  /** Any codes, usually many: those of a complement or of a search. May be shared: do not change it. */
  | { readonly kind: 'bits'; readonly codes: BitSet };

export const noCodes: CodeSet = { kind: 'ranges', ranges: [] };

export function oneCode(code: number): CodeSet {
  return { kind: 'ranges', ranges: [{ low: code, high: code + 1 }] };
}

/** Codes from `low` up to, not including, `high`; none if `high` is not greater. */
export function codesBetween(low: number, high: number): CodeSet {
  return low < high ? { kind: 'ranges', ranges: [{ low, high }] } : noCodes;
}

/** The codes of a list in any order, in which a code may be repeated. */
export function codesOf(codes: Iterable<number>): CodeSet {
  const ascending = [...new Set(codes)].sort((a, b) => a - b);
  return { kind: 'ranges', ranges: ascending.map((code) => ({ low: code, high: code + 1 })) };
}

/** The code of a set that is one range of one code; null for any other set. */
export function singleCode(set: CodeSet): number | null {
  if (set.kind !== 'ranges' || set.ranges.length !== 1) return null;
  const [{ low, high }] = set.ranges;
  return high - low === 1 ? low : null;
}

/** The codes of the other values of a dictionary with `size` values. Null is in neither set. */
export function complement(set: CodeSet, size: number): CodeSet {
  if (set.kind === 'ranges') {
    const others: CodeRange[] = [];
    let low = 1;
    for (const range of set.ranges) {
      if (low < range.low) others.push({ low, high: range.low });
      low = range.high;
    }
    if (low < size + 1) others.push({ low, high: size + 1 });
    return { kind: 'ranges', ranges: others };
  }
  const others = BitSet.full(size + 1);
  others.delete(0);
  return { kind: 'bits', codes: others.subtract(set.codes) };
}

/** Returns a test for membership. `size` is the number of values in the dictionary. */
export function codePredicate(set: CodeSet, size: number): (code: number) => boolean {
  switch (set.kind) {
    case 'ranges': {
      const { ranges } = set;
      return (code) => isInRanges(ranges, code);
    }
    case 'list': {
      const bits = new BitSet(size + 1);
      for (const code of set.codes) bits.add(code);
      return (code) => bits.has(code);
    }
    case 'bits': {
      const { codes } = set;
      return (code) => codes.has(code);
    }
  }
}

/** A loop of its own, which is 1.3 times as fast for 20 ranges as `firstWhere`: it runs for each row. */
function isInRanges(ranges: readonly CodeRange[], code: number): boolean {
  let low = 0;
  for (let high = ranges.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (ranges[middle].high > code) high = middle;
    else low = middle + 1;
  }
  return low < ranges.length && ranges[low].low <= code;
}

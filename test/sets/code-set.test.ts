import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import {
  type CodeSet,
  codePredicate,
  codesBetween,
  codesOf,
  complement,
  noCodes,
  oneCode,
  singleCode,
} from '../../src/core/sets/code-set.ts';

const size = 40;
const everyCode = Array.from({ length: size + 1 }, (_, code) => code);

const members = (set: CodeSet) => everyCode.filter(codePredicate(set, size));

/** The same codes in each of the three forms. */
function formsOf(codes: readonly number[]): CodeSet[] {
  const bits = new BitSet(size + 1);
  for (const code of codes) bits.add(code);
  return [codesOf(codes), { kind: 'list', codes: Uint32Array.from(codes) }, { kind: 'bits', codes: bits }];
}

test('all representations have the same members and the same complement without null', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: size })), (drawn) => {
      const codes = drawn.sort((a, b) => a - b);
      for (const set of formsOf(codes)) {
        expect(members(set)).toEqual(codes);
        expect(members(complement(set, size))).toEqual(everyCode.filter((code) => code > 0 && !codes.includes(code)));
      }
    }),
    { numRuns: 100, seed: 1 },
  );
});

test('a list of codes is sorted, and each code is taken once', () => {
  expect(codesOf([7, 3, 7])).toEqual({ kind: 'ranges', ranges: [oneCode(3), oneCode(7)].flatMap(rangesOf) });
});

test('a range without codes is empty', () => {
  expect(codesBetween(4, 4)).toBe(noCodes);
  expect(codesBetween(5, 4)).toBe(noCodes);
  expect(members(codesBetween(4, 6))).toEqual([4, 5]);
});

test('only one range of one code is a single code', () => {
  expect(singleCode(oneCode(0))).toBe(0);
  expect(singleCode(codesBetween(1, 3))).toBeNull();
  expect(singleCode(codesOf([1, 2]))).toBeNull();
  expect(singleCode(noCodes)).toBeNull();
  expect(singleCode({ kind: 'list', codes: Uint32Array.of(1) })).toBeNull();
});

function rangesOf(set: CodeSet) {
  return set.kind === 'ranges' ? set.ranges : [];
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BitSet, collectIntersection } from '../../src/core/sets/bit-set.ts';
import { countMembers, membersOf, sortUnique, toBitSet, toRowList } from '../../src/core/sets/row-set.ts';

/** Up to 300 numbers: several words, the last of them partly used. */
const size = 301;
const members = fc.uniqueArray(fc.nat(size - 1)).map((list) => Uint32Array.from(list).sort());
const place = fc.nat(size);

describe('bit sets do what sets of numbers do', () => {
  test('union, intersection, difference and count', () => {
    fc.assert(
      fc.property(members, members, (ones, others) => {
        const [one, other] = [toBitSet(ones, size), toBitSet(others, size)];
        const [inOne, inOther] = [new Set(ones), new Set(others)];
        const both = [...ones].filter((member) => inOther.has(member));
        expect(one.count()).toBe(ones.length);
        expect([...one.toArray()]).toEqual([...ones]);
        expect([...one.clone().unite(other).toArray()]).toEqual([...sortUnique(Uint32Array.of(...ones, ...others))]);
        expect([...one.clone().intersect(other).toArray()]).toEqual(both);
        expect([...BitSet.intersection(one, other).toArray()]).toEqual(both);
        const left = [...ones].filter((member) => !inOther.has(member));
        expect([...one.clone().subtract(other).toArray()]).toEqual(left);
        expect([...one.clone().subtract(others).toArray()]).toEqual(left);
        expect([...toRowList(one)].every((member) => inOne.has(member) && one.has(member))).toBe(true);
      }),
    );
  });

  test.each([0, 1, 31, 32, 33, 127, 128, 129])('a full set of %d has no members past its size', (count) => {
    const set = BitSet.full(count);
    expect(set.count()).toBe(count);
    expect([...set.toArray()]).toEqual(Array.from({ length: count }, (_, i) => i));
  });
});

test('a window of an intersection is that slice of the shared members', () => {
  fc.assert(
    fc.property(members, members, place, place, (ones, others, start, length) => {
      const shared = BitSet.intersection(toBitSet(ones, size), toBitSet(others, size)).toArray();
      const end = start + length;
      const found = new Uint32Array(length);
      const next = collectIntersection(toBitSet(ones, size).words, toBitSet(others, size).words, found, 0, start, end);
      const expected = shared.slice(start, end);
      expect([...found.subarray(0, expected.length)]).toEqual([...expected]);
      expect(next).toBe(Math.min(end, shared.length));
    }),
  );
});

test('members of a part of a list are counted and keep their order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(size - 1)), members, place, place, (list, set, one, other) => {
      const rows = Uint32Array.from(list);
      const [start, end] = [one, other].map((at) => Math.min(at, rows.length)).sort((a, b) => a - b) as [
        number,
        number,
      ];
      const expected = list.slice(start, end).filter((row) => set.includes(row));
      const bits = toBitSet(set, size);
      expect([...membersOf(rows, start, end, bits)]).toEqual(expected);
      expect(countMembers(rows, start, end, bits)).toBe(expected.length);
    }),
  );
});

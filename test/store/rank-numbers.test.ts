import { expect, it } from 'vitest';
import { rankNumbers } from '../../src/store/writer/columns/rank-numbers.ts';

const fractions = [0, 1, -1, 0.5, -0.25, 5e-324, -5e-324, 2 ** 53, -(2 ** 53), 1e300, -1e300];

/** Numbers that differ in any of their bytes, in no order, some of them repeated or NaN. */
function* numbers(count: number): Generator<number> {
  for (let i = 0, state = 1; i < count; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const kind = state % 5;
    if (kind === 0) yield fractions[(state >>> 8) % fractions.length];
    else if (kind === 1) yield Number.NaN;
    else if (kind === 2) yield 1.6e12 + (state >>> 3);
    else yield (state - 2 ** 31) / (kind === 3 ? 1 : 65_537);
  }
}

it.each([0, 1, 2, 200, 255, 256, 300, 5_000])('ranks %i numbers as a sort does', (count) => {
  const values = Float64Array.from(numbers(count));
  const expected = Float64Array.from(new Set(values.filter((value) => !Number.isNaN(value)))).sort();
  const { distinct, ranks } = rankNumbers(values);
  expect(distinct).toEqual(expected);
  expect([...ranks]).toEqual(Array.from(values, (value) => expected.indexOf(value) + 1));
});

it('ranks numbers that are ascending already, and equal ones', () => {
  expect(rankNumbers(Float64Array.of(-2, 0, 0, Number.NaN, 7))).toEqual({
    distinct: Float64Array.of(-2, 0, 7),
    ranks: Uint32Array.of(1, 2, 2, 0, 3),
  });
  const equal = rankNumbers(new Float64Array(1_000).fill(4));
  expect([...equal.distinct]).toEqual([4]);
  expect(new Set(equal.ranks)).toEqual(new Set([1]));
});

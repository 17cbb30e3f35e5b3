import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { searchTextOf } from '../../src/model/schema/compared-texts.ts';
import type { ScalarType } from '../../src/model/schema/schema.ts';
import type { MatchMode } from '../../src/store/texts/pattern.ts';
import { buildNumberDictionary } from '../../src/store/writer/columns/column-builder.ts';

const work = new CostBudget(Number.POSITIVE_INFINITY);

/** Compares the text that operators search in numbers and dates with the text that JavaScript formats. */
const day = 86_400_000;
const trimmed = (value: number) => new Date(value).toISOString().replace(/\.?0*Z$/, '');
const datetimes = fc.oneof(
  fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
  fc.integer({ min: -8_640_000_000, max: 8_640_000_000 }).map((seconds) => seconds * 1000),
);
const kinds: [ScalarType, fc.Arbitrary<number>, (value: number) => string][] = [
  [
    'integer',
    fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constantFrom(0, 9, 10, 99, 0x7fffffff, 0x80000000)),
    String,
  ],
  [
    'decimal',
    fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ min: -300_000, max: 300_000, noNaN: true }),
      fc.tuple(fc.integer({ min: -3_000_000, max: 2_200_000_000 }), fc.nat({ max: 6 })).map(([n, d]) => n / 10 ** d),
      fc.constantFrom(0.1 + 0.2, -0, 0.0001, 0.00005, 214_748.3646, 214_748.3647),
    ),
    String,
  ],
  ['boolean', fc.constantFrom(0, 1), (value) => String(value === 1)],
  [
    'date',
    fc.integer({ min: -700_000, max: 2_900_000 }).map((days) => days * day),
    (value) => trimmed(value).slice(0, 10),
  ],
  [
    'time',
    fc.oneof(
      fc.nat({ max: day - 1 }),
      fc.nat({ max: 86_399 }).map((s) => s * 1000),
    ),
    (value) => trimmed(value).slice(11),
  ],
  ['datetime', datetimes, (value) => trimmed(value).replace('T', ' ')],
];

for (const [type, values, textOf] of kinds) {
  test(`searches the text of ${type} as JavaScript would`, () => {
    const bytes = Buffer.alloc(64);
    const texts = searchTextOf(type);
    fc.assert(
      fc.property(values, (value) => {
        expect(bytes.toString('latin1', 3, texts.write(value, bytes, 3))).toBe(textOf(value));
      }),
    );
  });
}

test('every number contains the empty text', () => {
  const dictionary = buildNumberDictionary(Float64Array.of(-1, 0, 10), 'integer');
  const search = (needle: string, mode: MatchMode) => {
    const found = dictionary.search(needle, mode, 'exact', work);
    return found.kind === 'bits' && [...found.codes.toArray()];
  };
  expect(search('', 'anywhere')).toEqual([1, 2, 3]);
  expect(search('', 'start')).toEqual([1, 2, 3]);
  expect(search('', 'whole')).toEqual([]);
  expect(search('1', 'start')).toEqual([3]);
  expect(search('1', 'end')).toEqual([1]);
  expect(search('10', 'whole')).toEqual([3]);
});

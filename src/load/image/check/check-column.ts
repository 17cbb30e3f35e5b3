/** A column: its dictionary, the codes of its rows, and its index. */

import { wordCount } from '../../../core/sets/bit-set.ts';
import type { ScalarType } from '../../../model/schema/schema.ts';
import type { Column, ValueIndex } from '../../../store/columns/column.ts';
import type { NumberDictionary } from '../../../store/columns/number-dictionary.ts';
import { bitmapStep, shortRange } from '../../../store/columns/range-bitmaps.ts';
import type { TextDictionary } from '../../../store/texts/text-dictionary.ts';
import { checkTexts } from './check-texts.ts';
import {
  ascends,
  check,
  type Finding,
  hasLength,
  isBelow,
  isWithin,
  type Rules,
  rises,
  wrongItem,
} from './invariants.ts';

/** Milliseconds from 1970 to the first and to the last time of a Date. */
const greatestTime = 8.64e15;

interface CheckedColumn extends Pick<Column, 'codes' | 'index'> {
  /** The number of values. */
  readonly size: number;
  readonly rowCount: number;
}

export function checkColumn(name: string, type: ScalarType, column: Column, rowCount: number): void {
  const { codes, index, dictionary } = column;
  switch (dictionary.kind) {
    case 'text':
      checkTexts(name, dictionary as TextDictionary);
      break;
    case 'number':
      check(name, numberRules, { ...dictionary, isTime: type === 'date' || type === 'datetime' } as CheckedNumbers);
      break;
    case 'bigint':
      check(name, [['values', () => ascends(dictionary.values)]], null);
  }
  const checked = { codes, index, size: dictionary.size, rowCount };
  check(name, columnRules, checked);
  if (index.bitmaps) check(`${name}/index/bitmaps`, bitmapRules, checked);
}

type CheckedNumbers = Pick<NumberDictionary, 'values' | 'searchCost'> & { readonly isTime: boolean };

const numberRules: Rules<CheckedNumbers> = [
  ['values', ({ values }) => ascends(values)],
  ['values', ({ values, isTime }) => (isTime ? isWithin(values, -greatestTime, greatestTime) : null)],
  // each value costs at least 1; the exact cost differs between versions
  [
    'searchCost',
    ({ values, searchCost }) =>
      searchCost >= values.length ? null : `${searchCost}, expected at least 1 for each value`,
  ],
];

const columnRules: Rules<CheckedColumn> = [
  ['codes', ({ codes, rowCount }) => hasLength(codes, rowCount)],
  ['codes', ({ codes, size }) => isBelow(codes, size + 1)],
  ['index/offsets', ({ index, size }) => hasLength(index.offsets, size + 2)],
  ['index/offsets', ({ index, rowCount }) => rises(index.offsets, 0, rowCount)],
  ['index/rows', ({ index, rowCount }) => hasLength(index.rows, rowCount)],
  ['index/rows', ({ index, codes }) => areRowsByCode(index, codes)],
];

const bitmapRules: Rules<CheckedColumn> = [
  ['cumulative', ({ index, rowCount }) => hasLength(index.bitmaps!.arrays.cumulative, bitmapWords(rowCount))],
  ['cumulative', ({ index }) => areCumulative(index)],
  ['codes', ({ index }) => ascends(index.bitmaps!.arrays.codes)],
  ['codes', ({ index, size }) => isBelow(index.bitmaps!.arrays.codes, size + 1)],
  [
    'byCode',
    ({ index, rowCount }) => hasLength(byCode(index), index.bitmaps!.arrays.codes.length * wordCount(rowCount)),
  ],
  ['byCode', ({ index }) => areRowsOfCodes(index)],
];

function byCode({ bitmaps }: ValueIndex): Uint32Array {
  return bitmaps!.arrays.byCode;
}

function bitmapWords(rowCount: number): number {
  return rowCount > shortRange ? (Math.ceil(rowCount / bitmapStep(rowCount)) + 1) * wordCount(rowCount) : 0;
}

/** The rows of each code are in its slice, ascending. As there are as many as rows, each is there once. */
function areRowsByCode({ offsets, rows }: ValueIndex, codes: Uint32Array): Finding {
  for (let code = 0; code + 1 < offsets.length; code++) {
    const start = offsets[code];
    for (let i = start; i < offsets[code + 1]; i++) {
      if (codes[rows[i]] !== code) return wrongItem(i, rows[i], `a row with the code ${code}`);
      if (i > start && rows[i - 1] >= rows[i]) return wrongItem(i, rows[i], `more than ${rows[i - 1]}`);
    }
  }
  return null;
}

function areCumulative({ rows, bitmaps }: ValueIndex): Finding {
  const { cumulative } = bitmaps!.arrays;
  const expected = new Uint32Array(wordCount(rows.length));
  const step = bitmapStep(rows.length);
  for (let first = 0, next = 0; first < cumulative.length; first += expected.length) {
    const wrong = wrongWord(cumulative, first, expected);
    if (wrong) return wrong;
    for (const end = Math.min(next + step, rows.length); next < end; next++) addTo(expected, rows[next]);
  }
  return null;
}

function areRowsOfCodes(index: ValueIndex): Finding {
  const { offsets, rows, bitmaps } = index;
  const expected = new Uint32Array(wordCount(rows.length));
  for (const [position, code] of bitmaps!.arrays.codes.entries()) {
    expected.fill(0);
    for (let i = offsets[code]; i < offsets[code + 1]; i++) addTo(expected, rows[i]);
    const wrong = wrongWord(byCode(index), position * expected.length, expected);
    if (wrong) return wrong;
  }
  return null;
}

function addTo(words: Uint32Array, row: number): void {
  words[row >>> 5] |= 1 << (row & 31);
}

function wrongWord(words: Uint32Array, first: number, expected: Uint32Array): Finding {
  for (let i = 0; i < expected.length; i++) {
    if (words[first + i] !== expected[i]) return wrongItem(first + i, words[first + i], String(expected[i]));
  }
  return null;
}

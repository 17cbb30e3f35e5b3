import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dateOf, datetimeOf, midnightOf, servedDatetimeOf, timeOf } from '../../src/model/schema/calendar.ts';

const day = 86_400_000;

describe('a date', () => {
  test.each([
    ['1970-01-02', day],
    ['2000-02-29', 951_782_400_000],
    ['0000-01-01', -62_167_219_200_000],
    ['0099-12-31', -59_011_545_600_000],
  ])('%s is %d ms', (text, milliseconds) => {
    expect(dateOf(text)).toBe(milliseconds);
  });

  test.each(['1900-02-29', '2001-04-31', '2001-13-01', '2001-00-01', '2001-01-00', '2001-1-01', '2001/01/01', ''])(
    '%j does not exist',
    (text) => {
      expect(dateOf(text)).toBeUndefined();
    },
  );

  test('exists exactly if JavaScript keeps its month and day', () => {
    const part = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(part(9999), part(13), part(32), (year, month, date) => {
        const plain = new Date(0);
        plain.setUTCFullYear(year, month - 1, date);
        const exists =
          plain.getUTCMonth() === month - 1 && plain.getUTCDate() === date && plain.getUTCFullYear() === year;
        expect(midnightOf(year, month, date)).toBe(exists ? plain.getTime() : undefined);
      }),
    );
  });
});

test.each([
  ['00:00:00', 0],
  ['23:59:59.9', 86_399_900],
  ['12:00:00.045', 43_200_045],
  ['24:00:00', undefined],
  ['12:60:00', undefined],
  ['12:00', undefined],
  ['12:00:00.1234', undefined],
])('the time %s is %s ms', (text, milliseconds) => {
  expect(timeOf(text)).toBe(milliseconds);
});

describe('a datetime', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0],
    ['1970-01-01T01:00+01:00', 0],
    ['1970-01-01T00:00:00.5-0100', 3_600_500],
    ['1970-01-01T00:00:00', undefined],
    ['2001-02-30T00:00:00Z', undefined],
    ['1970-01-01', undefined],
  ])('%s is %s', (text, milliseconds) => {
    expect(datetimeOf(text)).toBe(milliseconds);
  });

  test('in the form of replies has the value that Date.parse returns', () => {
    const dates = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (date) => {
        expect(servedDatetimeOf(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  test.each([
    '2001-02-03T24:00:00.000Z',
    '2001-02-03T04:60:00.000Z',
    '2001-02-03T04:05:06.78xZ',
    '2001-02-03T04:05:06Z',
  ])('%s is not in the form of replies', (text) => {
    expect(servedDatetimeOf(text)).toBeUndefined();
  });
});

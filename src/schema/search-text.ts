import type { ScalarType } from './schema.ts';

/**
 * The text that operators on text see of a value that is compared as a number: what a database would cast it to. It
 * is written into `bytes` from `at` on, in ASCII; the result is where it ends. At most 32 bytes are written, and until
 * the next text is written to the same place nobody else writes there.
 */
export type SearchText = (value: number, bytes: Buffer, at: number) => number;

export const longestSearchText = 32;

export function searchTextOf(type: ScalarType): SearchText {
  switch (type) {
    case 'boolean':
      return written((value) => String(value === 1));
    case 'date':
      return written((value) => new Date(value).toISOString().slice(0, 10));
    case 'time':
      return writeTime;
    case 'datetime':
      return datetimeWriter();
    default:
      return writeNumber;
  }
}

function written(textOf: (value: number) => string): SearchText {
  return (value, bytes, at) => at + bytes.write(textOf(value), at, 'latin1');
}

const zero = 0x30;

/** Digits of a whole number that is not negative, which most are; else what JavaScript writes. */
export const writeNumber: SearchText = (value, bytes, at) => {
  const whole = value | 0;
  if (whole !== value || whole < 0) return at + bytes.write(String(value), at, 'latin1');
  let end = at + 1;
  for (let power = 10; power <= whole && end < at + 10; power *= 10) end++;
  for (let i = end - 1, rest = whole; i >= at; i--) {
    const tens = (rest / 10) | 0;
    bytes[i] = zero + rest - tens * 10;
    rest = tens;
  }
  return end;
};

/** `HH:mm:ss`, and the thousandths if there are any, without zeros at their end. */
const writeTime: SearchText = (value, bytes, at) => {
  const time = value | 0;
  const seconds = (time / 1000) | 0;
  const minutes = (seconds / 60) | 0;
  const hours = (minutes / 60) | 0;
  writeTwo(hours, bytes, at);
  bytes[at + 2] = 0x3a;
  writeTwo(minutes - hours * 60, bytes, at + 3);
  bytes[at + 5] = 0x3a;
  writeTwo(seconds - minutes * 60, bytes, at + 6);
  const thousandths = time - seconds * 1000;
  if (thousandths === 0) return at + 8;
  bytes[at + 8] = 0x2e;
  const hundredths = (thousandths / 10) | 0;
  writeTwo(hundredths, bytes, at + 9);
  bytes[at + 11] = zero + thousandths - hundredths * 10;
  let end = at + 12;
  while (bytes[end - 1] === zero) end--;
  return end;
};

function writeTwo(number: number, bytes: Buffer, at: number): void {
  const tens = (number / 10) | 0;
  bytes[at] = zero + tens;
  bytes[at + 1] = zero + number - tens * 10;
}

const millisecondsOfDay = 86_400_000;

/** Values mostly come in order, and are written to one place: so the text of a day is made and written once. */
function datetimeWriter(): SearchText {
  let lastDay = Number.NaN;
  let lastBytes: Buffer | null = null;
  let lastAt = 0;
  let length = 0;
  return (value, bytes, at) => {
    const day = Math.floor(value / millisecondsOfDay);
    if (day !== lastDay || bytes !== lastBytes || at !== lastAt) {
      const date = new Date(day * millisecondsOfDay).toISOString().replace(/T.*/, ' ');
      length = bytes.write(date, at, 'latin1');
      lastDay = day;
      lastBytes = bytes;
      lastAt = at;
    }
    return writeTime(value - day * millisecondsOfDay, bytes, at + length);
  };
}

import type { ScalarType } from './schema.ts';

/**
 * The text that operators on text see of a value that is compared as a number: what a database would cast it to. It
 * is written into `bytes` from `at` on, in ASCII; the result is where it ends. At most 32 bytes are written.
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
  if (!(value >= 0 && value <= 0x7fffffff && value === (value | 0)))
    return at + bytes.write(String(value), at, 'latin1');
  let end = at + 1;
  for (let rest = value; rest > 9; rest = (rest / 10) | 0) end++;
  let rest = value;
  for (let i = end - 1; i >= at; i--) {
    const tens = (rest / 10) | 0;
    bytes[i] = zero + rest - tens * 10;
    rest = tens;
  }
  return end;
};

/** `HH:mm:ss`, and the thousandths if there are any, without zeros at their end. */
const writeTime: SearchText = (value, bytes, at) => {
  const seconds = Math.floor(value / 1000);
  const thousandths = value - seconds * 1000;
  writeTwo(Math.floor(seconds / 3600), bytes, at);
  bytes[at + 2] = 0x3a;
  writeTwo(Math.floor(seconds / 60) % 60, bytes, at + 3);
  bytes[at + 5] = 0x3a;
  writeTwo(seconds % 60, bytes, at + 6);
  if (thousandths === 0) return at + 8;
  bytes[at + 8] = 0x2e;
  const tens = Math.floor(thousandths / 10);
  writeTwo(tens, bytes, at + 9);
  bytes[at + 11] = zero + thousandths - tens * 10;
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

/** Values mostly come in order, so the text of a day is made once for all its times. */
function datetimeWriter(): SearchText {
  let lastDay = Number.NaN;
  let date = '';
  return (value, bytes, at) => {
    const day = Math.floor(value / millisecondsOfDay);
    if (day !== lastDay) {
      date = `${new Date(day * millisecondsOfDay).toISOString().replace(/T.*/, '')} `;
      lastDay = day;
    }
    for (let i = 0; i < date.length; i++) bytes[at + i] = date.charCodeAt(i);
    return writeTime(value - day * millisecondsOfDay, bytes, at + date.length);
  };
}

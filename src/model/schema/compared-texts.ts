/** The texts that operators on text compare: folded case, numbers and dates as a database casts them, and JSON as jsonb. */
import type { JsonTextForm } from '../../core/dialect.ts';
import type { ScalarType } from './schema.ts';
import { maximumJsonDepth } from './value-types.ts';

/** Text form of numbers, booleans and dates, for operators on text. It is the text that a database casts them to. */
export interface SearchText {
  /**
   * Writes the text in ASCII at `at` and returns its end. Writes at most `maxSearchTextBytes`. Callers must not change
   * the written bytes before the next call with the same buffer and offset, because writers reuse them.
   */
  write(value: number, bytes: Buffer, at: number): number;
  /** Writes the text that SQLite has of the value that Strapi stores there, likewise. */
  writeSqlite(value: number, bytes: Buffer, at: number): number;
  /** Writes the text that MySQL casts the value to, likewise. */
  writeMysql(value: number, bytes: Buffer, at: number): number;
  /** Cost of `write` and of searching the text of a value, in cost units (core/cost-budget.ts). */
  cost(value: number): number;
}

type Write = SearchText['write'];

export const maxSearchTextBytes = 32;

/** Cost of `writeSqlite` or `writeMysql` and of searching the text of a value at most. */
export const otherTextCost = 250;

export function searchTextOf(type: ScalarType): SearchText {
  switch (type) {
    case 'boolean':
      return {
        write: (value, bytes, at) => at + bytes.write(String(value === 1), at, 'latin1'),
        writeSqlite: writeNumber,
        writeMysql: writeNumber,
        cost: () => 120,
      };
    case 'date':
      return { write: writeDate, writeSqlite: writeDate, writeMysql: writeDate, cost: () => 55 };
    case 'time':
      return { write: writeTime, writeSqlite: writeFullTime, writeMysql: writeFullTime, cost: () => 50 };
    case 'datetime':
      return { write: datetimeWriter(), writeSqlite: writeNumber, writeMysql: fullDatetimeWriter(), cost: () => 75 };
    case 'float':
      return { ...numberText, writeSqlite: writeReal };
    case 'decimal':
      return { ...numberText, writeSqlite: writeReal, writeMysql: writeDecimal };
    default:
      return numberText;
  }
}

const zero = 0x30;

/** The fast path of writeNumber supports up to four decimals. */
const fractionParts = 10_000;

/** Returns a number in ten-thousandths, or -1 if it is negative, too large or has more than four decimals. */
function tenThousandths(value: number): number {
  const parts = Math.round(value * fractionParts);
  return parts >= 0 && parts < 0x7fffffff && parts / fractionParts === value && !Object.is(value, -0) ? parts : -1;
}

/** Writes non-negative integers and numbers with few decimals by hand. Writes others with String(). */
const writeNumber: Write = (value, bytes, at) => {
  const whole = value | 0;
  if (whole === value && whole >= 0) return writeWhole(whole, bytes, at);
  const parts = tenThousandths(value);
  if (parts < 0) return at + bytes.write(String(value), at, 'latin1');
  const before = (parts / fractionParts) | 0;
  const point = writeWhole(before, bytes, at);
  bytes[point] = 0x2e;
  let rest = parts - before * fractionParts;
  for (let i = point + 4; i > point; i--) {
    const tens = (rest / 10) | 0;
    bytes[i] = zero + rest - tens * 10;
    rest = tens;
  }
  let end = point + 5;
  while (bytes[end - 1] === zero) end--;
  return end;
};

function writeWhole(whole: number, bytes: Buffer, at: number): number {
  let end = at + 1;
  for (let power = 10; power <= whole && end < at + 10; power *= 10) end++;
  for (let i = end - 1, rest = whole; i >= at; i--) {
    const tens = (rest / 10) | 0;
    bytes[i] = zero + rest - tens * 10;
    rest = tens;
  }
  return end;
}

/** Writes a floating-point number as MySQL does: without a sign in exponents, and without an exponent from 1e-15 on. */
const writeDouble: Write = (value, bytes, at) => {
  if ((value | 0) === value || tenThousandths(value) >= 0) return writeNumber(value, bytes, at);
  const [digits, exponent] = value.toExponential().split('e');
  const places = Number(exponent);
  if (places < -15 || places > 14) return at + bytes.write(`${digits}e${places}`, at, 'latin1');
  const decimals = Math.max(0, digits.replace(/^-?\d\.?/, '').length - places);
  return at + bytes.write(value.toFixed(decimals), at, 'latin1');
};

/** Writes a number with two decimals. */
const writeDecimal: Write = (value, bytes, at) => at + bytes.write(value.toFixed(2), at, 'latin1');

/** Writes and searches common numbers in 55 to 65 cost units. String() takes 105 to 200. */
const numberText: SearchText = {
  write: writeNumber,
  writeSqlite: writeNumber,
  writeMysql: writeDouble,
  cost(value) {
    if ((value | 0) === value) return value >= 0 ? 55 : 105;
    return tenThousandths(value) >= 0 ? 65 : 200;
  },
};

/** Writes a floating-point number as SQLite does: with a point and 15 significant digits at most. */
const writeReal: Write = (value, bytes, at) => {
  if ((value | 0) === value) return addPoint(bytes, writeNumber(value, bytes, at));
  if (tenThousandths(value) >= 0) return writeNumber(value, bytes, at);
  const [digits, exponent] = value.toExponential(14).split('e');
  const places = Number(exponent);
  const shortest = digits.replace(/\.?0+$/, '');
  const isScientific = places < -4 || places > 14;
  const mantissa = isScientific ? shortest : String(Number(value.toPrecision(15)));
  const end = at + bytes.write(mantissa, at, 'latin1');
  const pointed = mantissa.includes('.') ? end : addPoint(bytes, end);
  if (!isScientific) return pointed;
  const power = `e${places < 0 ? '-' : '+'}${String(Math.abs(places)).padStart(2, '0')}`;
  return pointed + bytes.write(power, pointed, 'latin1');
};

function addPoint(bytes: Buffer, end: number): number {
  bytes[end] = 0x2e;
  bytes[end + 1] = zero;
  return end + 2;
}

/** Writes `HH:mm:ss.SSS`. */
const writeFullTime: Write = (value, bytes, at) => {
  const end = writeTime(value, bytes, at);
  if (end === at + 8) bytes[end] = 0x2e;
  bytes.fill(zero, Math.max(end, at + 9), at + 12);
  return at + 12;
};

/** Writes `HH:mm:ss`, with a fraction of up to three digits and without trailing zeros. */
const writeTime: Write = (value, bytes, at) => {
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

const writeDate: Write = (value, bytes, at) => writeDay(Math.floor(value / millisecondsOfDay), bytes, at);

const daysOfFourCenturies = 146_097;
/** Days from 1 March of the year 0 to 1 January 1970. */
const daysBefore1970 = 719_468;

/**
 * Writes `yyyy-MM-dd` for a day counted from 1970. Ten times as fast as a Date object. The computation uses years that
 * start in March: the leap day is then the last day, and the lengths of months repeat every five months (153 days).
 */
function writeDay(dayNumber: number, bytes: Buffer, at: number): number {
  const sinceMarch = dayNumber + daysBefore1970;
  const cycle = Math.floor(sinceMarch / daysOfFourCenturies);
  const inCycle = sinceMarch - cycle * daysOfFourCenturies;
  // earlier leap days of the cycle: every 4 years, except every 100, but every 400
  const leapDays = ((inCycle / 1460) | 0) - ((inCycle / 36_524) | 0) + ((inCycle / 146_096) | 0);
  const yearInCycle = ((inCycle - leapDays) / 365) | 0;
  const inYear = inCycle - (365 * yearInCycle + (yearInCycle >> 2) - ((yearInCycle / 100) | 0));
  const monthAfterMarch = ((5 * inYear + 2) / 153) | 0;
  const day = inYear - (((153 * monthAfterMarch + 2) / 5) | 0) + 1;
  const month = monthAfterMarch < 10 ? monthAfterMarch + 3 : monthAfterMarch - 9;
  const year = cycle * 400 + yearInCycle + (month < 3 ? 1 : 0);
  if (year < 0 || year > 9999) {
    const text = new Date(dayNumber * millisecondsOfDay).toISOString().replace(/T.*/, '');
    return at + bytes.write(text, at, 'latin1');
  }
  const century = (year / 100) | 0;
  writeTwo(century, bytes, at);
  writeTwo(year - century * 100, bytes, at + 2);
  bytes[at + 4] = 0x2d;
  writeTwo(month, bytes, at + 5);
  bytes[at + 7] = 0x2d;
  writeTwo(day, bytes, at + 8);
  return at + 10;
}

/**
 * Returns a writer that keeps the date of the last value in the buffer: 19 ns for another time of that day, else 71 ns.
 */
function datetimeWriter(): Write {
  let lastDay = Number.NaN;
  let lastBytes: Buffer | null = null;
  let lastAt = 0;
  let length = 0;
  return (value, bytes, at) => {
    const day = Math.floor(value / millisecondsOfDay);
    if (day !== lastDay || bytes !== lastBytes || at !== lastAt) {
      length = writeDay(day, bytes, at) - at + 1;
      bytes[at + length - 1] = 0x20;
      lastDay = day;
      lastBytes = bytes;
      lastAt = at;
    }
    return writeTime(value - day * millisecondsOfDay, bytes, at + length);
  };
}

/** Returns a writer of datetimes with six decimals of the second. */
function fullDatetimeWriter(): Write {
  const write = datetimeWriter();
  return (value, bytes, at) => {
    const end = write(value, bytes, at);
    const start = at + dateLength(value) + 1;
    if (end === start + 8) bytes[end] = 0x2e;
    bytes.fill(zero, Math.max(end, start + 9), start + 15);
    return start + 15;
  };
}

/** Characters of a date. Years beyond 9999 have a sign and six digits. */
function dateLength(value: number): number {
  const year = new Date(value).getUTCFullYear();
  return year < 0 || year > 9999 ? 13 : 10;
}

/**
 * Folds case for the case-insensitive operators. Maps each code point to its simple lower case, without context.
 * `İ` becomes `i` (without a combining dot), `ß` stays `ß`, and a final `Σ` becomes `σ`.
 */
export function foldCase(text: string): string {
  // ASCII has no special cases: 94 ns for 45 characters, and 605 ns code point by code point
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) {
    const lower = character.toLowerCase();
    // only İ has a lower case of more than one code point
    folded += lower.length > character.length ? String.fromCodePoint(lower.codePointAt(0)!) : lower;
  }
  return folded;
}

/**
 * Returns JSON in the text form of PostgreSQL's jsonb. Text operators compare JSON and blocks in this form. Equal
 * values have equal texts.
 */
export function jsonText(value: unknown): string {
  if (typeof value === 'number') return jsonNumber(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // values from extensions, such as dates, are served as JSON.stringify writes them
  if ('toJSON' in value && typeof value.toJSON === 'function') return jsonText(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  const members = Object.entries(value).map(([key, inner]) => [Buffer.from(key), key, inner] as const);
  // jsonb sorts keys by length, then by bytes
  members.sort(([a], [b]) => a.length - b.length || Buffer.compare(a, b));
  return `{${members.map(([, key, inner]) => `${JSON.stringify(key)}: ${jsonText(inner)}`).join(', ')}}`;
}

/** Returns whether JSON has more than `levels` levels of arrays and objects. Descends no further than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/**
 * Returns the jsonb text of a served value. Parses a string that holds JSON. A string that is not JSON, or that exceeds
 * the maximum depth, is quoted.
 */
function servedJsonText(value: unknown): string {
  if (typeof value !== 'string') return jsonText(value);
  try {
    const inner = JSON.parse(value);
    if (!isDeeperThan(inner, maximumJsonDepth)) return jsonText(inner);
  } catch {
    // not JSON
  }
  return JSON.stringify(value);
}

/** Returns the text of a served value that comparisons read. As written, a string is its own text. */
export function comparedJsonText(value: unknown, form: JsonTextForm): string {
  if (form === 'jsonb') return servedJsonText(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats a number without an exponent. */
function jsonNumber(value: number): string {
  const [digits, exponent] = JSON.stringify(value).split('e');
  if (exponent === undefined) return digits;
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digits)!;
  const places = Number(exponent);
  if (places > 0) return sign + whole + fraction.padEnd(places, '0');
  return `${sign}0.${'0'.repeat(-places - 1)}${whole}${fraction}`;
}

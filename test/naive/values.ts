import { type Attribute, type Database, type Dialect, Refused, Unspecified } from './snapshot.ts';

/** What two values of one attribute are compared by. */
export type Comparable = string | number | bigint;

/** The form in which a stored value is served. */
export function servedValue(attribute: Attribute, input: unknown): unknown {
  if (input === null || input === undefined) return null;
  if (attribute.type === 'biginteger') return String(BigInt(input as string | number));
  if (attribute.type === 'datetime') return new Date(input as string).toISOString();
  if (attribute.type === 'timestamp') return String(milliseconds(input));
  return input;
}

const textTypes = ['string', 'text', 'richtext', 'enumeration', 'email', 'uid'];

export function isText(attribute: Attribute): boolean {
  return textTypes.includes(attribute.type);
}

/** Whether values of the attribute have an order; `json`, `array` and `blocks` are only null or not null. */
export function isOrdered(attribute: Attribute): boolean {
  return !['json', 'array', 'blocks'].includes(attribute.type);
}

/** Comparable form of a served value that is not null. */
export function comparable(attribute: Attribute, served: unknown): Comparable {
  if (attribute.type === 'biginteger' || attribute.type === 'timestamp') return BigInt(served as string);
  if (attribute.type === 'datetime') return Date.parse(served as string);
  if (attribute.type === 'time') return paddedTime(served as string);
  if (attribute.type === 'boolean') return served === true ? 1 : 0;
  if (attribute.type === 'richtext') return plainText(served);
  if (!isOrdered(attribute)) throw new Unspecified(`comparison of ${attribute.type}`);
  return served as string | number;
}

/** Text as it is; of blocks their texts, with a line for each block and each item of a list. */
export function plainText(served: unknown): string {
  if (typeof served === 'string') return served;
  const lines = (served as any[]).map((block) => {
    if (block.type === 'list') return plainText(block.children);
    if (block.text !== undefined) return block.text;
    return (block.children ?? []).map((child: any) => plainText([child])).join('');
  });
  return lines.join('\n');
}

/** Comparable form of an operand; refuses one that is not a value of the attribute's type. */
export function castOperand(attribute: Attribute, operand: unknown, dialect: Dialect): Comparable {
  if (operand === null || typeof operand === 'object') throw new Unspecified('operand that is null or an object');
  const text = String(operand);
  if (isText(attribute)) return text;
  // the recorded server reads a signed number of four digits as a century, other numbers as milliseconds
  const isCentury = dialect === 'strapi' && /^[+-]\d{4}$/.test(text);
  if (isCentury && ['datetime', 'timestamp'].includes(attribute.type)) {
    const midnight = new Date(0).setUTCFullYear(Number(text) * 100, 0, 1);
    return attribute.type === 'timestamp' ? BigInt(midnight) : midnight;
  }
  switch (attribute.type) {
    case 'integer':
    case 'float':
    case 'decimal':
      if (!/^[+-]?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) throw new Refused(400, `${text} is no number`);
      return Number(text);
    case 'biginteger':
      if (!/^-?\d+$/.test(text)) throw new Refused(400, `${text} is no integer`);
      return BigInt(text);
    case 'boolean': {
      const flag = readWord(text, dialect);
      if (flag === null && dialect === 'document') throw new Refused(400, `${text} is no boolean`);
      if (flag === null) throw new Unspecified(`${text} as a boolean`);
      return flag ? 1 : 0;
    }
    case 'date':
      if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new Refused(400, `${text} is no date`);
      return text;
    case 'time':
      if (!/^\d\d:\d\d:\d\d(\.\d{1,3})?$/.test(text)) throw new Refused(400, `${text} is no time`);
      return paddedTime(text);
    case 'datetime':
      return instant(text);
    case 'timestamp':
      return /^-?\d+$/.test(text) ? BigInt(text) : BigInt(instant(text));
    default:
      throw new Unspecified(`operand for ${attribute.type}`);
  }
}

/** A word for true or false, in any case by the written specification; null for any other. */
export function readWord(text: string, dialect: Dialect): boolean | null {
  const word = dialect === 'document' ? text.toLowerCase() : text;
  if (['true', 't', '1'].includes(word)) return true;
  return ['false', 'f', '0'].includes(word) ? false : null;
}

/**
 * `$null`, `$notNull`. On the recorded server every text but these is true; the recordings show that the empty text is
 * false.
 */
export function castFlag(operand: unknown, dialect: Dialect): boolean {
  if (dialect === 'document') {
    const flag = readWord(String(operand), dialect);
    if (flag === null) throw new Refused(400, `${String(operand)} is no boolean`);
    return flag;
  }
  if (operand === null || typeof operand === 'object') throw new Unspecified('flag that is null or an object');
  return !['false', '0', 'f', ''].includes(String(operand));
}

function instant(text: string): number {
  if (!/^\d{4}-\d\d-\d\d(T.*)?$/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new Refused(400, `${text} is no datetime`);
  }
  return Date.parse(text);
}

function milliseconds(input: unknown): number {
  if (typeof input === 'number') return input;
  return /^-?\d+$/.test(input as string) ? Number(input) : Date.parse(input as string);
}

/** `HH:mm:ss.SSS`. */
function paddedTime(text: string): string {
  const [seconds, fraction = ''] = text.split('.');
  return `${seconds}.${fraction.padEnd(3, '0')}`;
}

/** The text without accents. */
export function withoutAccents(text: Comparable): string {
  return String(text)
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');
}

export type Compare = (a: Comparable, b: Comparable) => number;

/** How a database compares two values. MySQL sees neither case nor accents. */
export function compareOf(database: Database): Compare {
  return database === 'mysql' ? compareLetters : compare;
}

const letters = new Intl.Collator('en', { sensitivity: 'base' });

function compareLetters(a: Comparable, b: Comparable): number {
  return typeof a === 'string' && typeof b === 'string' ? letters.compare(a, b) : compare(a, b);
}

/** Whether two characters are the same to MySQL. */
export function isSameLetter(a: string, b: string): boolean {
  return letters.compare(a, b) === 0;
}

/** Negative, zero or positive; text by Unicode code point. */
export function compare(a: Comparable, b: Comparable): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints([...a], [...b]);
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareCodePoints(a: string[], b: string[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = a[i]!.codePointAt(0)! - b[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** A to Z to their lower case; other characters stay. */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Each code point to its simple lower case, alone: U+0130 has a two-point full mapping, its simple one is `i`. */
export function fold(text: string): string {
  let folded = '';
  for (const character of text) folded += character === '\u0130' ? 'i' : character.toLowerCase();
  return folded;
}

import type { Attribute } from '../naive/snapshot.ts';
import { plainText } from '../naive/values.ts';
import type { Random } from './random.ts';

/** Similar texts, in families. The content of one snapshot uses three or four families. */
const families = [
  ['', 'a', 'A', 'ab', 'aB', 'b a', ' a', 'a ', 'abba'],
  ['\uFF21', '\u{1F355}', '\u{1F355} pie', '\u{10400}', '\u{10428}', '\uFB01'],
  ['İstanbul', 'istanbul', 'ISTANBUL', 'Istanbul', 'ıstanbul'],
  ['straße', 'STRASSE', 'ΣΑΣ', 'σας', 'σασ', 'é', 'É', 'e\u0301'],
  ['%', '50%', '_', 'a_b', '\\', 'a\\b', '.*', 'a'],
  ["O'Brien", 'say "hi"', 'null', 'true', '42', '[0]', 'a,b', 'a:desc', 'a&b=c', '<b>'],
];

/** The texts of one snapshot, few enough for filters to match often. */
export function randomWords(random: Random): string[] {
  return random.some(families, 3, 4).flat();
}

/** Words with and without accents, whose order depends on the language. */
export const accentedWords = [
  'Öl',
  'ol',
  'zart',
  'Ähre',
  'ahre',
  'Ahse',
  'cote',
  'côte',
  'coté',
  'czar',
  'chata',
  'ñu',
  'nz',
];

export const enumValues = ['low', 'mid', 'high'];
const dates = ['1899-12-31', '1969-12-31', '1970-01-01', '2000-02-29', '2026-11-20'];
const times = ['00:00:00', '08:30:00', '08:30:00.125', '12:00:00', '23:59:59', '23:59:59.999'];
const datetimes = [
  '1923-04-05T06:07:08.009Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '2020-02-29T12:00:00.000Z',
  '2026-11-20T15:00:00.500Z',
];
/** The instants of `datetimes` in other formats. */
const zonedDatetimes = ['2020-02-29T14:00:00+02:00', '1970-01-01T00:00:00Z', '2026-11-20T10:00:00.500-05:00'];
const timestamps = ['-1000', '0', '1582977600000', '1795186800500'];
const integers = [-7, -1, 0, 1, 2, 3, 42, 100000];
const bigIntegers = ['-9223372036854775808', '-1', '0', '9007199254740991', '9007199254740993', '9223372036854775807'];
const floats = [-1.5, -0.25, 0, 0.1, 0.5, 2, 99.99, 1e21];
const decimals = [-10.01, 0, 0.01, 3.15, 10, 99.99];
const jsonValues = [{ a: 1 }, {}, [], [1, 'two', null], 'text', 0, false, { b: { c: ['é'] } }];
const arrays = [[], ['a'], ['a', 'b'], [1, null]];
const node = (type: string, ...children: object[]) => ({ type, children });
const leaf = (text: string) => ({ type: 'text', text });
/** Rich text blocks with texts that recur. */
const richTexts = (random: Random, words: string[]) => [
  [],
  [node('paragraph', leaf(random.pick(words)))],
  [node('heading', leaf('a'), { ...leaf('b'), bold: true }), node('paragraph', leaf(random.pick(words)))],
  [node('list', node('list-item', leaf('a')), node('list-item', { ...node('link', leaf('b a')), url: '/' }))],
  [{ type: 'image', image: { url: '/a.png' }, children: [leaf('')] }, node('quote', leaf(random.pick(words)))],
];
const blocks = [[{ type: 'paragraph', children: [{ type: 'text', text: 'a' }] }], []];

/** A non-null value of the attribute's type, as in a snapshot. */
export function storedValue(random: Random, attribute: Attribute, words: string[] = families.flat()): unknown {
  switch (attribute.type) {
    case 'enumeration':
      return random.pick(attribute.enum!);
    case 'date':
      return random.pick(dates);
    case 'time':
      return random.pick(times);
    case 'datetime':
      return random.pick(random.chance(15) ? zonedDatetimes : datetimes);
    case 'timestamp': {
      const milliseconds = random.pick(timestamps);
      if (random.chance(30)) return Number(milliseconds);
      return random.chance(20) ? new Date(Number(milliseconds)).toISOString() : milliseconds;
    }
    case 'integer':
      return random.pick(integers);
    case 'biginteger': {
      const text = random.pick(bigIntegers);
      return Number.isSafeInteger(Number(text)) && random.chance(50) ? Number(text) : text;
    }
    case 'float':
      return random.pick(floats);
    case 'decimal':
      return random.pick(decimals);
    case 'boolean':
      return random.chance(50);
    case 'json':
      return random.pick(jsonValues);
    case 'array':
      return random.pick(arrays);
    case 'blocks':
      return random.pick(blocks);
    case 'richtext':
      return random.chance(40) ? random.pick(richTexts(random, words)) : random.pick(words);
    default:
      return random.pick(words);
  }
}

/** An operand of the attribute's type; `known` are served values of the content, mostly drawn from. */
export function operandValue(random: Random, attribute: Attribute, known: unknown[]): unknown {
  const stored = known.length > 0 && random.chance(80) ? random.pick(known) : storedValue(random, attribute);
  if (attribute.type === 'boolean')
    return random.pick(stored ? [true, 'true', '1', 1, 't'] : [false, 'false', '0', 0, 'f']);
  if (attribute.type === 'datetime' && random.chance(10)) return String(stored).slice(0, 10);
  if (attribute.type === 'time' && random.chance(30)) return String(stored).padEnd(12, '.000');
  if (typeof stored === 'number' && random.chance(30)) return String(stored);
  if (attribute.type === 'richtext') return plainText(stored);
  return stored;
}

/** The text, a part of it by whole code points, or either in another case. */
export function textLike(random: Random, text: string, isPart: boolean): string {
  const points = [...text];
  const start = isPart ? random.integer(0, points.length) : 0;
  const part = isPart ? points.slice(start, start + random.integer(1, 3)).join('') : text;
  if (random.chance(30)) return part.toUpperCase();
  return random.chance(30) ? part.toLowerCase() : part;
}

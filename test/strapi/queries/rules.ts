/** Requests for what the rules of the database decide: the place of nulls, the order and the case of texts, searches. */
import type { Random } from '../random.ts';
import { type Content, isMany, isPolymorphic, isScalar, type Type } from './content.ts';
import { openAttributes, openScalars, type Query, type QueryContext, type Request } from './query-context.ts';
import { spell } from './requests.ts';

const textTests = ['$contains', '$notContains', '$containsi', '$notContainsi', '$eqi', '$nei'].concat([
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
]);
const comparisons = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte'];

interface RuleContext extends QueryContext {
  /** Spells a text as it may be equal in another way. */
  readonly respell: (text: string) => string;
}

/**
 * Returns `count` requests for lists, with few fields, in an order that leaves no ties. `respell` changes the texts of
 * filters, as by other accents.
 */
export function ruleRequests(
  random: Random,
  content: Content,
  count: number,
  respell: (text: string) => string = (text) => text,
): Request[] {
  const context = { random, content, respell };
  return Array.from({ length: count }, (_, i) => {
    const type = random.pick(content.routed.filter(({ kind }) => kind !== 'singleType'));
    const query = [sorted, compared, compared, searched][i % 4](context, type);
    const pagination = { pageSize: 30, page: random.pick([1, 1, 1, 2]) };
    const versions = random.chance(30) ? { status: 'draft', locale: random.pick(['*', 'fr']) } : {};
    const path = `/api/${type.info.pluralName}${spell(random, { ...query, ...versions, pagination })}`;
    return { kind: 'rule', caller: 'public', path };
  });
}

function sorted({ random, content }: QueryContext, type: Type): Query {
  const order = () => random.pick(['asc', 'desc']);
  const [name] = random.pick(openScalars(type));
  const linked = openAttributes(type).filter((entry) => {
    return !isScalar(entry[1]) && !isPolymorphic(entry[1]) && !isMany(entry[1]) && entry[1].type === 'relation';
  });
  if (linked.length === 0 || random.chance(70)) return { fields: [name], sort: [`${name}:${order()}`, 'id'] };
  const [relation, attribute] = random.pick(linked);
  const [inner] = random.pick(openScalars(content.target(attribute)));
  return { fields: ['id'], sort: [`${relation}.${inner}:${order()}`, 'id'] };
}

function compared(context: RuleContext, type: Type): Query {
  const { random } = context;
  const [name] = random.pick(openScalars(type));
  const operator = random.chance(75) ? random.pick(textTests) : random.pick(comparisons);
  const operand = partOfValue(context, type, name, operator);
  return { fields: [name], sort: ['id'], filters: { [name]: { [operator]: operand } } };
}

function searched(context: RuleContext, type: Type): Query {
  const { random } = context;
  const [name] = random.pick(openScalars(type));
  const text = random.chance(20)
    ? random.pick(['0', '1', '.0', '20', '17', '-', '5', '3.5', '*', '_'])
    : partOfValue(context, type, name, '$contains');
  return { fields: [name], sort: ['id'], _q: text };
}

/** A part of a value that occurs, often in another case. */
function partOfValue({ random, content, respell }: RuleContext, type: Type, name: string, operator: string): string {
  const values = content.values(type.uid, name);
  if (values.length === 0) return random.pick(['a', '1', 'É']);
  const value = random.pick(values);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isWhole = !/(contains|With)/i.test(operator);
  const length = isWhole ? text.length : random.integer(1, 5);
  const last = Math.max(0, text.length - length);
  const start = /startsWith/i.test(operator) ? 0 : /endsWith/i.test(operator) ? last : random.integer(0, last);
  const part = Array.from(text)
    .slice(start, start + length)
    .join('');
  if (random.chance(30)) return respell(part);
  return respell(random.chance(50) ? part.toUpperCase() : part.toLowerCase());
}

const accents: Record<string, string> = {
  a: 'ä',
  e: 'é',
  i: 'ì',
  n: 'ñ',
  o: 'ø',
  s: 'ß',
  u: 'ü',
  y: 'ÿ',
  c: 'ç',
  l: 'ł',
};

/** Returns a text with other accents, other forms of letters, or a blank at its end, as collations may ignore them. */
export function respellFreely(random: Random, text: string): string {
  switch (random.pick(['none', 'plain', 'accents', 'decomposed', 'blank', 'pairs'])) {
    case 'plain':
      return text.normalize('NFD').replace(/\p{M}/gu, '');
    case 'accents':
      return text.replace(/[aeinosuycl]/g, (letter) => (random.chance(50) ? accents[letter]! : letter));
    case 'decomposed':
      return text.normalize('NFD');
    case 'blank':
      return `${text} `;
    case 'pairs':
      return text.replaceAll('ß', 'ss').replaceAll('æ', 'ae').replaceAll('ss', 'ß');
    default:
      return text;
  }
}

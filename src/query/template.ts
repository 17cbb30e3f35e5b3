/**
 * Query strings that differ only in what is compared and in the page are one template. Its names are resolved once;
 * then a request costs the casts of its values.
 */
import { ValidationError } from '../base/errors.ts';
import type { Condition, Operand, RelatedCondition } from './bound.ts';

/** Begins what stands for a value; no character, so no query has it where it is meant. */
const tokenMark = '\uffff';

/** The value of `$null` and `$notNull` decides what is asked, and so is part of the form. */
const saysWhetherNull = /null(\]|%5d)/i;

/** A key in which more is encoded than brackets and the dollar is not read as it stands. */
const unusualEncoding = /%(?!5b|5d|24)/i;

/** A query string taken apart. */
export interface Template {
  /** The query string with a token in the place of each value that is given with the request. */
  readonly shape: string;
  /** These values, decoded, in the order of their tokens. */
  readonly values: readonly string[];
}

/**
 * Takes a query string apart. Values are those of `filters` and `pagination`, where they are no part of the form: all
 * but those of `$null` and `$notNull`. Null for what is not written as it usually is, which then has to be parsed.
 */
export function templateOf(text: string): Template | null {
  if (text.includes(tokenMark) || /%ef%bf%bf/i.test(text)) return null;
  const values: string[] = [];
  let shape = '';
  let copied = 0;
  for (let start = 0; start < text.length; ) {
    const ampersand = text.indexOf('&', start);
    const end = ampersand < 0 ? text.length : ampersand;
    if (text.startsWith('filters', start) || text.startsWith('pagination', start)) {
      const equals = text.indexOf('=', start);
      if (equals >= 0 && equals < end) {
        const value = decodedValue(text, equals + 1, end);
        if (value === null) return null;
        const key = text.slice(start, equals);
        if (unusualEncoding.test(key)) return null;
        if (!saysWhetherNull.test(key)) {
          shape += text.slice(copied, equals + 1) + tokenMark + values.length;
          copied = end;
          values.push(value);
        }
      }
    }
    start = end + 1;
  }
  return { shape: shape + text.slice(copied), values };
}

/** The value as the parser decodes it. Null for what the parser might take apart in another way. */
function decodedValue(text: string, start: number, end: number): string | null {
  const value = text.slice(start, end);
  if (value.includes('=')) return null;
  if (!value.includes('%') && !value.includes('+')) return value;
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** Puts values in the place of tokens; a list or an object is copied with its tokens replaced. */
export function valueAt(token: unknown, values: readonly string[]): unknown {
  if (isToken(token)) return values[Number(token.slice(1))];
  if (typeof token !== 'object' || token === null) return token;
  if (Array.isArray(token)) return token.map((item) => valueAt(item, values));
  return Object.fromEntries(Object.entries(token).map(([name, item]) => [name, valueAt(item, values)]));
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(tokenMark);
}

/** Whether a text that begins as tokens do stands anywhere in plain data. No value given by a person has one. */
export function hasToken(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasToken);
  return isToken(value);
}

/** While a template is bound: takes tokens where operands are expected, and notes how their values are to be cast. */
export class Placeholders {
  readonly #casts: ((raw: unknown) => Operand)[] = [];

  /** The operand that stands for `item`: the token, if it is one. */
  cast(item: unknown, cast: (raw: unknown) => Operand): Operand {
    if (!isToken(item)) return cast(item);
    this.#casts[Number(item.slice(1))] = cast;
    return item;
  }

  /** A value that is part of the form. Throws for a token: then this is no template. */
  constant(item: unknown): unknown {
    if (isToken(item)) throw new ValidationError('The value decides what is asked');
    return item;
  }

  /** The condition with operands in place of tokens. Throws what the casts throw. */
  fill(condition: Condition, values: readonly string[]): Condition {
    switch (condition.kind) {
      case 'value': {
        if (!condition.operands.some(isToken)) return condition;
        const operands = condition.operands.map((operand) => {
          if (!isToken(operand)) return operand;
          const slot = Number(operand.slice(1));
          return this.#casts[slot](values[slot]);
        });
        return { ...condition, operands };
      }
      case 'related':
        return this.#fillRelated(condition, values);
      case 'not':
        return { ...condition, condition: this.#fillRelated(condition.condition, values) };
      default:
        return { ...condition, conditions: condition.conditions.map((part) => this.fill(part, values)) };
    }
  }

  #fillRelated(condition: RelatedCondition, values: readonly string[]): RelatedCondition {
    return { ...condition, condition: this.fill(condition.condition, values) };
  }
}

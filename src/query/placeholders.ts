/**
 * Placeholders of prepared queries. Query strings that differ only in operands and page share one bound query, in which
 * a placeholder takes the place of each of these values. A request then costs only the casts of its values.
 */
import { ValidationError } from '../core/errors.ts';
import type { Condition, Operand, RelatedCondition } from './bound.ts';

/**
 * The first character of a placeholder, before its number. U+FFFF is a noncharacter: queries with it are not prepared.
 */
const placeholderMark = '\uffff';

/** The operand of `$null` and `$notNull` decides the form of the query, so it gets no placeholder. */
const decidesForm = /null(\]|%5d)/i;

/** A key in which more is encoded than brackets and the dollar sign has to be parsed. */
const unusualEncoding = /%(?!5b|5d|24)/i;

/** A query string with placeholders for its values. */
interface PreparedText {
  /** The query string with placeholders. */
  readonly form: string;
  /** The values, decoded, in the order of the placeholders. */
  readonly values: readonly string[];
}

/**
 * Replaces the values in `filters` and `pagination` by placeholders. Returns null for an unusual spelling, which has to
 * be parsed.
 */
export function extractValues(text: string): PreparedText | null {
  if (text.includes(placeholderMark) || /%ef%bf%bf/i.test(text)) return null;
  const values: string[] = [];
  let form = '';
  let copied = 0;
  for (let start = 0; start < text.length; ) {
    const ampersand = text.indexOf('&', start);
    const end = ampersand < 0 ? text.length : ampersand;
    if (text.startsWith('filters', start) || text.startsWith('pagination', start)) {
      const equals = text.indexOf('=', start);
      if (equals >= 0 && equals < end) {
        const value = decodeValue(text, equals + 1, end);
        if (value === null) return null;
        const key = text.slice(start, equals);
        if (unusualEncoding.test(key)) return null;
        if (!decidesForm.test(key)) {
          form += text.slice(copied, equals + 1) + placeholderMark + values.length;
          copied = end;
          values.push(value);
        }
      }
    }
    start = end + 1;
  }
  return { form: form + text.slice(copied), values };
}

/** Decodes a value as the parser does. Returns null for a value that the parser might split differently. */
function decodeValue(text: string, start: number, end: number): string | null {
  const value = text.slice(start, end);
  if (value.includes('=')) return null;
  if (!value.includes('%') && !value.includes('+')) return value;
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/** A parameter without brackets in its name, in plain characters. The parser ends a name at the first `]=`. */
const plainParameter = /^([\w.-]+)(?:=(?:[^\]]|\](?!=))*)?$/;

/**
 * Returns a form without the plain parameters that a dialect ignores. Parameters with brackets stay, because the parser
 * limits their depth. So do all parameters of a query with more than `limit`: it may exceed another limit of the parser.
 */
export function withoutIgnored(form: string, ignores: (name: string) => boolean, limit: number): string {
  const parameters = form.split('&', limit + 1);
  if (parameters.length > limit) return form;
  const kept = parameters.filter((parameter) => {
    const name = plainParameter.exec(parameter)?.[1];
    return name === undefined || !ignores(name);
  });
  return kept.join('&');
}

function isPlaceholder(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(placeholderMark);
}

function numberOf(placeholder: string): number {
  return Number(placeholder.slice(1));
}

/** Returns whether plain data contains a text that begins like a placeholder. */
export function hasPlaceholder(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasPlaceholder);
  return isPlaceholder(value);
}

/** Returns plain data with values in place of placeholders. */
export function fillPlaceholders(data: unknown, values: readonly string[]): unknown {
  if (isPlaceholder(data)) return values[numberOf(data)];
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return data.map((item) => fillPlaceholders(item, values));
  return Object.fromEntries(Object.entries(data).map(([name, item]) => [name, fillPlaceholders(item, values)]));
}

/** The placeholders of one prepared query, with the cast of each. */
export class Placeholders {
  readonly #casts: ((raw: unknown) => Operand)[] = [];

  /** Casts an operand. A placeholder stays, and the value of each request will be cast. */
  cast(item: unknown, cast: (raw: unknown) => Operand): Operand {
    if (!isPlaceholder(item)) return cast(item);
    this.#casts[numberOf(item)] = cast;
    return item;
  }

  /**
   * Returns a value that decides the form of the query. Throws for a placeholder, so that such a query is not prepared.
   * `decidesForm` keeps placeholders out of these values, so this is a safeguard.
   */
  constant(item: unknown): unknown {
    if (isPlaceholder(item)) throw new ValidationError('The value decides the form of the query');
    return item;
  }

  /** Returns a condition with cast values in place of placeholders. Throws what the casts throw. */
  fill(condition: Condition, values: readonly string[]): Condition {
    switch (condition.kind) {
      case 'value': {
        if (!condition.operands.some(isPlaceholder)) return condition;
        const operands = condition.operands.map((operand) => {
          if (!isPlaceholder(operand)) return operand;
          const number = numberOf(operand);
          return this.#casts[number](values[number]);
        });
        return { ...condition, operands };
      }
      case 'related':
        return this.#fillRelated(condition, values);
      case 'not':
        return { ...condition, condition: this.#fillRelated(condition.condition, values) };
      case 'all':
      case 'any':
        return { ...condition, conditions: condition.conditions.map((part) => this.fill(part, values)) };
      default:
        return condition satisfies never;
    }
  }

  #fillRelated(condition: RelatedCondition, values: readonly string[]): RelatedCondition {
    return { ...condition, condition: this.fill(condition.condition, values) };
  }
}

/** The operators in words, and the operand that each takes. */
import type { AttributeDescription } from '../../description/describe-schema.ts';
import type { FilterChip } from '../query/explored-query.ts';

export type OperandKind = 'value' | 'text' | 'list' | 'pair' | 'boolean';

const operators: Record<string, readonly [words: string, operand: OperandKind]> = {
  $eq: ['is', 'value'],
  $ne: ['is not', 'value'],
  $eqi: ['is (any case)', 'text'],
  $nei: ['is not (any case)', 'text'],
  $lt: ['is less than', 'value'],
  $lte: ['is at most', 'value'],
  $gt: ['is more than', 'value'],
  $gte: ['is at least', 'value'],
  $in: ['is one of', 'list'],
  $notIn: ['is none of', 'list'],
  $between: ['is between', 'pair'],
  $contains: ['contains', 'text'],
  $notContains: ['does not contain', 'text'],
  $containsi: ['contains (any case)', 'text'],
  $notContainsi: ['does not contain (any case)', 'text'],
  $startsWith: ['starts with', 'text'],
  $startsWithi: ['starts with (any case)', 'text'],
  $endsWith: ['ends with', 'text'],
  $endsWithi: ['ends with (any case)', 'text'],
  $null: ['is empty', 'boolean'],
  $notNull: ['has a value', 'boolean'],
};

const timeWords: Record<string, string> = {
  $lt: 'is before',
  $lte: 'is not after',
  $gt: 'is after',
  $gte: 'is not before',
};

/** Returns how people say an operator on values of a type. */
export function wordsOf(operator: string, { type }: AttributeDescription): string {
  const isTime = /^(?:date|datetime|time|timestamp)$/.test(type);
  return (isTime && timeWords[operator]) || (operators[operator]?.[0] ?? operator);
}

/** Returns the operand that an operator takes. */
export function operandKindOf(operator: string): OperandKind {
  return operators[operator]?.[1] ?? 'value';
}

/** Returns the operator that a new filter on an attribute has. */
export function defaultOperator({ name, type, operators: fitting }: AttributeDescription): string {
  const isProse = /^(?:string|text|richtext)$/.test(type) && !/^(?:documentId|locale)$/.test(name);
  const usual = isProse ? '$containsi' : /^date/.test(type) ? '$gte' : '$eq';
  return fitting.find((operator) => operator === usual) ?? fitting.find((each) => each === '$notNull') ?? '$eq';
}

/** Returns whether the server reads a text as false. */
export function isFalse(text: string | undefined): boolean {
  return /^(?:false|f|0)$/i.test(text ?? '');
}

/** Returns the values of a chip, whatever its operand is. */
export function valuesOf({ value }: FilterChip): readonly string[] {
  return value === null ? [] : typeof value === 'string' ? [value] : value;
}

/** Returns values in the form that an operator takes. */
export function operandOf(operator: string, values: readonly string[]): FilterChip['value'] {
  switch (operandKindOf(operator)) {
    case 'list':
      return values.filter((value) => value !== '');
    case 'pair':
      return [values[0] ?? '', values[1] ?? values[0] ?? ''];
    case 'boolean':
      return isFalse(values[0]) ? 'false' : 'true';
    default:
      return values[0] ?? '';
  }
}

/** Returns whether a new filter has all its values. */
export function isComplete({ operator, value }: FilterChip): boolean {
  const values = value === null ? [] : typeof value === 'string' ? [value] : value;
  return values.length >= (operandKindOf(operator) === 'pair' ? 2 : 1) && values.every((each) => each !== '');
}

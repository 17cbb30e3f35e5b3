import type { Row } from '../content/rows.ts';
import type { Schema } from '../content/schema.ts';
import type { Comparison, Condition, Find, Operator, Sort } from '../query.ts';
import { searchedAttributes } from './search.ts';

/**
 * Writes conditions and orders as JavaScript over rows that hold their related rows. The functions are as fast as
 * those written by hand. One is made for each form of a query.
 */

export type Test = (row: Row) => boolean;
export type Order = (one: Row, other: Row) => number;

/** The test of a row, or null if every row satisfies the query. */
export function testOf({ type, where, search }: Find, schema: Schema): Test | null {
  const parts: Condition[] = where ? [where] : [];
  if (search) {
    const comparisons = searchedAttributes(schema, type).map(
      (name): Comparison => ({ path: [name], operator: 'containsi', value: search }),
    );
    parts.push({ or: comparisons });
  }
  if (parts.length === 0) return null;
  const values: unknown[] = [];
  const source = write({ and: parts }, type, schema, values, false);
  return made<(values: unknown[]) => Test>(`return (row) => ${source}`, 'values')(values);
}

/** Null for the order of ids, in which the rows already are. */
export function orderOf(sort: Sort[] = []): Order | null {
  const decides = sort.findIndex(({ path }) => path.length === 1 && path[0] === 'id');
  const keys = decides === 0 && !sort[0].descending ? [] : sort;
  if (keys.length === 0) return null;
  const steps = keys.map(({ path, descending }) => {
    const [one, other] = [member('one', path), member('other', path)];
    const first = descending ? -1 : 1;
    return `a = ${one} ?? null; b = ${other} ?? null;
      if (a !== b) return a === null ? ${first} : b === null ? ${-first} : a < b ? ${-first} : ${first};`;
  });
  return made<() => Order>(`let a, b; return (one, other) => { ${steps.join('\n')} return one.id - other.id; }`)();
}

/** By source text, so that no form of query is compiled twice. */
const known = new Map<string, unknown>();

function made<Made>(source: string, ...parameters: string[]): Made {
  if (!known.has(source)) known.set(source, new Function(...parameters, source));
  return known.get(source) as Made;
}

/** With `negated` it writes the opposite. A null satisfies neither. */
function write(condition: Condition, type: string, schema: Schema, values: unknown[], negated: boolean): string {
  const inner = (each: Condition) => write(each, type, schema, values, negated);
  if ('not' in condition) return write(condition.not, type, schema, values, !negated);
  if ('and' in condition) return `(${condition.and.map(inner).join(negated ? ' || ' : ' && ')})`;
  if ('or' in condition) return `(${condition.or.map(inner).join(negated ? ' && ' : ' || ')})`;
  const { path, operator, value } = condition;
  values.push(operator === 'containsi' ? String(value).toLowerCase() : value);
  return compared('row', path, type, schema, operator, `values[${values.length - 1}]`, negated);
}

/** A path through a to-many relation tests whether some related row satisfies the comparison; negated, whether none does. */
function compared(
  row: string,
  path: string[],
  type: string,
  schema: Schema,
  operator: Operator,
  operand: string,
  negated: boolean,
): string {
  let from = type;
  for (const [index, name] of path.slice(0, -1).entries()) {
    const { many, target } = schema.attribute(from, name);
    from = target!;
    if (!many) continue;
    const list = member(row, path.slice(0, index + 1));
    const item = `${row}${index}`;
    const some = compared(item, path.slice(index + 1), from, schema, operator, operand, false);
    return `${list}?.some((${item}) => ${some}) ${negated ? '!==' : '==='} true`;
  }
  const value = member(row, path);
  if (operator === 'null' || operator === 'notNull')
    return `${value} ${(operator === 'null') !== negated ? '==' : '!='} null`;
  const test = tests[operator](value, operand);
  if (negated) return `(${value} != null && !(${test}))`;
  return operator === 'eq' || operator === 'in' ? test : `(${value} != null && ${test})`;
}

/** None of the operands is null. */
const tests: Record<Exclude<Operator, 'null' | 'notNull'>, (value: string, operand: string) => string> = {
  eq: (value, operand) => `${value} === ${operand}`,
  in: (value, operand) => `${operand}.includes(${value})`,
  lt: (value, operand) => `${value} < ${operand}`,
  lte: (value, operand) => `${value} <= ${operand}`,
  gt: (value, operand) => `${value} > ${operand}`,
  gte: (value, operand) => `${value} >= ${operand}`,
  between: (value, operand) => `${value} >= ${operand}[0] && ${value} <= ${operand}[1]`,
  containsi: (value, operand) => `${value}.toLowerCase().includes(${operand})`,
};

function member(row: string, path: string[]): string {
  return row + path.map((name, index) => `${index === 0 ? '' : '?.'}[${JSON.stringify(name)}]`).join('');
}

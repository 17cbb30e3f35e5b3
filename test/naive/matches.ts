import type { Filter } from './filter.ts';
import type { Links } from './links.ts';
import { isOneOf, type Operator, type Truth } from './operators.ts';
import { type Comparable, comparable } from './values.ts';
import type { Row } from './world.ts';

/**
 * Whether the filter is true of the row, not merely not false. `negated` says that an odd number of `$not` stands
 * around it: it turns "and" into "or" and reaches the leaves. It passes through relations unchanged, except for those
 * that are negated whole: there it asks that the visit as written does not succeed. The row of nulls that stands for
 * "nothing related" is null.
 */
export function matches(filter: Filter, row: Row | null, links: Links, negated = false): boolean {
  switch (filter.kind) {
    case 'not':
      return matches(filter.part, row, links, !negated);
    case 'and':
      if (negated) return filter.parts.some((part) => matches(part, row, links, true));
      return filter.parts.every((part) => matches(part, row, links));
    case 'or':
      if (negated) return filter.parts.every((part) => matches(part, row, links, true));
      return filter.parts.some((part) => matches(part, row, links));
    case 'related': {
      if (negated && filter.whole) return !matches(filter, row, links);
      const all = row === null ? [] : links.visited(row, filter.name);
      const related = filter.only ? all.filter((other) => other.type.uid === filter.only) : all;
      if (related.length === 0) return matches(filter.part, null, links, negated);
      return related.some((other) => matches(filter.part, other, links, negated));
    }
    default:
      return leaf(filter, row) === !negated;
  }
}

function leaf(filter: Exclude<Filter, { kind: 'and' | 'or' | 'not' | 'related' }>, row: Row | null): Truth {
  const value = scalarOf(row, filter.name);
  if (filter.kind === 'flag') return (value === null) === filter.wantsNull;
  const key = value === null ? null : comparable(filter.attribute, value);
  if (filter.kind === 'list') {
    const found = isOneOf(key, filter.operands, filter.database);
    return filter.negative && found !== null ? !found : found;
  }
  return truth(filter.operator, key, filter.operands);
}

/** A list given to an operator of one value means "or"; `$between` takes its two values together. */
function truth({ takes, test }: Operator, value: Comparable | null, operands: Comparable[]): Truth {
  if (value === null) return null;
  if (takes === 'pair') return test(value, operands[0]!, operands[1]!);
  return operands.some((operand) => test(value, operand, operand));
}

/** Served form of a scalar, `id` and `documentId` included; null for the row of nulls. */
export function scalarOf(row: Row | null, name: string): unknown {
  if (row === null) return null;
  if (name === 'id') return row.id;
  if (name === 'documentId') return row.documentId;
  return row.scalars[name] ?? null;
}

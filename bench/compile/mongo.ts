import type { Schema } from '../content/schema.ts';
import type { Comparison, Condition, Find } from '../query.ts';
import { searchedAttributes } from './search.ts';

/** The filter in the language of MongoDB, over rows that hold their related rows. Null if every row satisfies it. */
export function mongoCondition({ type, where, search }: Find, schema: Schema): object | null {
  const parts: object[] = where ? [write(where, type, schema, false)] : [];
  if (search) parts.push({ $or: searchedAttributes(schema, type).map((name) => ({ [name]: anyCase(search) })) });
  return parts.length > 1 ? { $and: parts } : (parts[0] ?? null);
}

/** With `negated` it writes the opposite. A null satisfies neither. */
function write(condition: Condition, type: string, schema: Schema, negated: boolean): object {
  const inner = (each: Condition) => write(each, type, schema, negated);
  if ('not' in condition) return write(condition.not, type, schema, !negated);
  if ('and' in condition) return { [negated ? '$or' : '$and']: condition.and.map(inner) };
  if ('or' in condition) return { [negated ? '$and' : '$or']: condition.or.map(inner) };
  const path = condition.path.join('.');
  const test = comparison(condition);
  if (!negated) return { [path]: test };
  if (schema.path(type, condition.path).some(({ attribute }) => attribute.many)) return { $nor: [{ [path]: test }] };
  const opposite = opposites[condition.operator];
  if (opposite) return { [path]: { [opposite]: condition.value } };
  return { $and: [{ [path]: { $ne: null } }, { $nor: [{ [path]: test }] }] };
}

/** Operators whose opposite is an operator, too, because null satisfies neither. */
const opposites: Record<string, string> = {
  lt: '$gte',
  lte: '$gt',
  gt: '$lte',
  gte: '$lt',
  null: '$ne',
  notNull: '$eq',
};

function comparison({ operator, value }: Comparison): unknown {
  switch (operator) {
    case 'eq':
      return value;
    case 'between':
      return { $gte: (value as unknown[])[0], $lte: (value as unknown[])[1] };
    case 'containsi':
      return anyCase(value as string);
    case 'null':
      return null;
    case 'notNull':
      return { $ne: null };
    default:
      return { [`$${operator}`]: value };
  }
}

function anyCase(text: string): object {
  return { $regex: new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i') };
}

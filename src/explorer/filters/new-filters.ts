/** Filters that the page makes. */
import type { SchemaDescription, TypeDescription } from '../../description/describe-schema.ts';
import { completePath, stepsOf } from '../paths/attribute-paths.ts';
import type { FilterChip } from '../query/explored-query.ts';
import { defaultOperator, operandOf } from './operator-words.ts';

/** Moves a chip to another path. Keeps its operator and value if they fit there. */
export function chipAt(
  schema: SchemaDescription,
  type: TypeDescription,
  path: readonly string[],
  before: FilterChip | null,
): FilterChip | null {
  const complete = completePath(schema, type, path);
  const attribute = complete && stepsOf(schema, type, complete)?.at(-1)?.attribute;
  if (!attribute) return null;
  const fitting: readonly string[] = attribute.operators;
  if (before && fitting.includes(before.operator)) return { ...before, path: complete };
  // related entries are found by their whole names, which are offered
  const operator = complete.length > 1 && fitting.includes('$eq') ? '$eq' : defaultOperator(attribute);
  return { kind: 'chip', path: complete, operator, value: operandOf(operator, []) };
}

/** Returns the filter that finds the entries which a facet counts for a value. */
export function chipOfFacet(path: string, value: unknown): FilterChip {
  const names = path.split('.');
  if (value === null) return { kind: 'chip', path: names, operator: '$null', value: 'true' };
  return { kind: 'chip', path: names, operator: '$eq', value: String(value) };
}

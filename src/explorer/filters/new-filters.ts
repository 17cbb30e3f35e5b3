/** Filters that the page makes. */
import type { AttributeDescription, SchemaDescription, TypeDescription } from '../../description/describe-schema.ts';
import { completePath, stepsOf } from '../paths/attribute-paths.ts';
import type { FilterChip } from '../query/explored-query.ts';
import { defaultOperator, operandOf, valuesOf } from './operator-words.ts';

/**
 * Moves a chip to another path, or begins one there. Keeps its operator between attributes of a kind, and its value unless
 * the attribute has only a few. Null: no filter can name the path.
 */
export function chipAt(
  schema: SchemaDescription,
  type: TypeDescription,
  path: readonly string[],
  before: FilterChip | null,
): FilterChip | null {
  const complete = completePath(schema, type, path);
  const attribute = complete && attributeAt(schema, type, complete);
  if (!attribute) return null;
  const fitting: readonly string[] = attribute.operators;
  const former = before && attributeAt(schema, type, before.path);
  const isOfKind = former && kindOf(former) === kindOf(attribute) && kindOf(attribute) !== 'enumeration';
  if (before && isOfKind && fitting.includes(before.operator)) return { ...before, path: complete };
  // related entries are found by their whole names, which are offered
  const operator = complete.length > 1 && fitting.includes('$eq') ? '$eq' : defaultOperator(attribute);
  const values = before ? valuesOf(before).filter((value) => value !== '') : [];
  const [first] = attribute.values ?? (attribute.type === 'boolean' ? ['true'] : values);
  return { kind: 'chip', path: complete, operator, value: operandOf(operator, values.length > 0 ? [first] : []) };
}

function attributeAt(
  schema: SchemaDescription,
  type: TypeDescription,
  path: readonly string[],
): AttributeDescription | undefined {
  return stepsOf(schema, type, path)?.at(-1)?.attribute;
}

/** Attributes of a kind are compared with the same values. */
function kindOf({ type }: AttributeDescription): string {
  if (/^(?:string|text|richtext|uid|email)$/.test(type)) return 'text';
  return /^(?:integer|biginteger|float|decimal)$/.test(type) ? 'number' : type;
}

/** Returns the filter that finds the entries which a facet counts for a value. */
export function chipOfFacet(path: string, value: unknown): FilterChip {
  const names = path.split('.');
  if (value === null) return { kind: 'chip', path: names, operator: '$null', value: 'true' };
  return { kind: 'chip', path: names, operator: '$eq', value: String(value) };
}

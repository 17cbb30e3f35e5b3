import { type EntryType, isScalar, type ScalarType } from '../../model/schema/schema.ts';
import { comparisonKindOf } from '../../model/schema/value-types.ts';
import type { Condition } from '../bound.ts';
import type { Binding } from '../policies.ts';
import type { ParameterNode } from '../syntax/parameter-nodes.ts';
import { accentRule } from './bind-language.ts';

const numericTypes: ReadonlySet<ScalarType> = new Set(['integer', 'biginteger', 'float', 'decimal']);

/** Binds `_q`: some text attribute, or the id, contains it in any case. A number is also searched in numbers. */
export function bindSearch(binding: Binding, type: EntryType, node: ParameterNode): Condition | null {
  const { raw } = node;
  if (node.kind === 'empty' || raw === '') return null;
  const { filter, errors, database } = binding.policies;
  if (typeof raw !== 'string' && typeof raw !== 'number') throw errors.notText(node);
  const text = String(raw);
  const isNumber = !Number.isNaN(Number(text));
  const comparison = filter.searchComparison(text);
  const conditions: Condition[] = [];
  for (const attribute of type.attributes.values()) {
    if (!isScalar(attribute) || attribute.private || !filter.isSearched(attribute)) continue;
    const { name, type: scalar } = attribute;
    const isSearchable = comparisonKindOf(scalar) === 'text' || name === 'id' || (isNumber && numericTypes.has(scalar));
    if (!isSearchable) continue;
    const made = database.searchComparisonFor(comparison, attribute);
    conditions.push({
      kind: 'value',
      attribute: name,
      comparison: made,
      operands: [text],
      negated: false,
      ...accentRule(binding, comparison, attribute),
    });
  }
  return { kind: 'any', conditions };
}

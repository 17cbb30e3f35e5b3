import type { ScalarAttribute, ScalarType } from '../../model/schema.ts';
import { comparisonKindOf } from '../../model/value-types.ts';
import type { Condition, Operand, ValueCondition } from '../bound.ts';
import type { ErrorPolicy } from '../errors.ts';
import { type Comparison, type Operator, type OperatorName, operators } from '../operators.ts';
import type { Binding } from '../policies.ts';
import type { FilterNode } from '../syntax/filter-nodes.ts';
import type { OperandPlace, Part } from '../syntax/location.ts';
import { isContainer } from '../syntax/raw-value.ts';
import { type CastPolicy, castOperand } from './cast.ts';

/** Binds one operator, or its negation, applied to a scalar attribute. Casts the operands. */
export function bindComparison(
  binding: Binding,
  part: Part,
  attribute: ScalarAttribute,
  key: OperatorName,
  node: FilterNode,
  negated: boolean,
): Condition {
  const { policies, placeholders, budget } = binding;
  const { casts, errors, filter } = policies;
  const operator: Operator = operators[key];
  const { raw } = node;
  // the path of a relation itself does not end in `id`
  const comparesIds = attribute.name === 'id' && !/(^|\.)id$/.test(node.path ?? '');
  const place: OperandPlace = { part, operator: key, path: node.path, comparesIds };
  // without a value, equality asks for null
  const isEquality = operator.comparison === 'equal' || operator.comparison === 'equalFolded';
  const comparison = isEquality && (raw === null || raw === undefined) ? 'isNull' : operator.comparison;
  const isOpaque = comparisonKindOf(attribute.type) === 'presence';
  if (isOpaque && comparison !== 'isNull' && !filter.comparesJson(attribute, comparison)) {
    throw errors.unsupportedOperator(place, attribute.type, raw);
  }
  const leaf = (made: Comparison, operands: readonly Operand[], inverted = false): ValueCondition => {
    budget.countCondition(part.param);
    const isNegated = (operator.negated !== negated) !== inverted;
    return { kind: 'value', attribute: attribute.name, comparison: made, operands, negated: isNegated };
  };
  const castValue = caster(operator.operand === 'text' ? 'string' : attribute.type, casts, errors, place);
  const cast = (item: unknown) => (placeholders ? placeholders.cast(item, castValue) : castValue(item));
  const { operand } = operator;
  // a list given to an operator of one value means "or" over its items
  if (node.kind === 'list' && operand !== 'list' && operand !== 'pair') {
    const conditions = node.items.map((item) => bindComparison(binding, part, attribute, key, item, negated));
    return { kind: negated ? 'all' : 'any', conditions };
  }
  switch (operand) {
    case 'list':
      return leaf(comparison, listOf(raw).map(cast));
    case 'pair': {
      const values = listOf(raw);
      const operands = values.map(cast);
      if (values.length !== 2) throw errors.notAPair(place, values);
      return leaf(comparison, operands);
    }
    case 'boolean': {
      const flag = casts.boolean(placeholders ? placeholders.constant(raw) : raw);
      if (flag === null) throw errors.wrongOperand(place, raw, 'boolean');
      return leaf('isNull', [], !flag);
    }
    case 'text':
    case 'value':
      return comparison === 'isNull' ? leaf(comparison, []) : leaf(comparison, [cast(raw)]);
    default:
      return operand satisfies never;
  }
}

/** Returns the operands in a list, or in the object that the parser makes of numbered keys. */
function listOf(raw: unknown): unknown[] {
  return isContainer(raw) ? Object.values(raw) : [raw];
}

/** Returns the cast of one operand. Prepared queries keep it, so it must not refer to the syntax tree. */
function caster(type: ScalarType, casts: CastPolicy, errors: ErrorPolicy, place: OperandPlace) {
  return (item: unknown) => castOperand(type, item, casts, errors, place);
}

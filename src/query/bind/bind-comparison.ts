import type { ScalarAttribute, ScalarType } from '../../model/schema/schema.ts';
import { comparisonKindOf } from '../../model/schema/value-types.ts';
import type { Condition, Operand } from '../bound.ts';
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
  const operator: Operator = operators[key];
  const { operand } = operator;
  const { raw, path } = node;
  // the path of a relation itself does not end in `id`
  const comparesIds = attribute.name === 'id' && !/(^|\.)id$/.test(path ?? '');
  const place: OperandPlace = { part, operator: key, path, comparesIds };
  // without a value, equality asks for null
  const isEquality = operator.comparison === 'equal' || operator.comparison === 'equalFolded';
  const comparison = isEquality && (raw === null || raw === undefined) ? 'isNull' : operator.comparison;
  checkSupport(binding, place, attribute, comparison, raw);
  // a list given to an operator of one value means "or" over its items
  if (node.kind === 'list' && operand !== 'list' && operand !== 'pair') {
    const conditions = node.items.map((item) => bindComparison(binding, part, attribute, key, item, negated));
    return { kind: negated ? 'all' : 'any', conditions };
  }
  const isInverted = operand === 'boolean' && !castFlag(binding, place, raw);
  const operands = comparison === 'isNull' ? [] : castOperands(binding, place, operand, attribute.type, raw);
  binding.budget.countCondition(part.param);
  const isNegated = (operator.negated !== negated) !== isInverted;
  return { kind: 'value', attribute: attribute.name, comparison, operands, negated: isNegated };
}

/** Throws if the values of an attribute cannot be compared in this way. */
function checkSupport(
  { policies: { errors, filter } }: Binding,
  place: OperandPlace,
  attribute: ScalarAttribute,
  comparison: Comparison,
  raw: unknown,
): void {
  if (comparisonKindOf(attribute.type) !== 'presence' || comparison === 'isNull') return;
  if (!filter.comparesJson(attribute, comparison)) throw errors.unsupportedOperator(place, attribute.type, raw);
}

/** Casts the operand of `$null` or `$notNull`. */
function castFlag({ policies: { casts, errors }, placeholders }: Binding, place: OperandPlace, raw: unknown): boolean {
  const flag = casts.boolean(placeholders ? placeholders.constant(raw) : raw);
  if (flag === null) throw errors.wrongOperand(place, raw, 'boolean');
  return flag;
}

/** Casts the operands of an operator, one or a list of them. */
function castOperands(
  { policies: { casts, errors }, placeholders }: Binding,
  place: OperandPlace,
  operand: Operator['operand'],
  type: ScalarType,
  raw: unknown,
): Operand[] {
  const castValue = caster(operand === 'text' ? 'string' : type, casts, errors, place);
  const values = operand === 'list' || operand === 'pair' ? listOf(raw) : [raw];
  const operands = values.map((item) => (placeholders ? placeholders.cast(item, castValue) : castValue(item)));
  if (operand === 'pair' && values.length !== 2) throw errors.notAPair(place, values);
  return operands;
}

/** Returns the operands in a list, or in the object that the parser makes of numbered keys. */
function listOf(raw: unknown): unknown[] {
  return isContainer(raw) ? Object.values(raw) : [raw];
}

/** Returns the cast of one operand. Prepared queries keep it, so it must not refer to the syntax tree. */
function caster(type: ScalarType, casts: CastPolicy, errors: ErrorPolicy, place: OperandPlace) {
  return (item: unknown) => castOperand(type, item, casts, errors, place);
}

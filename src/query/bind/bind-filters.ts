import {
  type EntryType,
  isScalar,
  type PolymorphicAttribute,
  type ScalarAttribute,
  type ScalarType,
} from '../../model/schema/schema.ts';
import { comparisonKindOf } from '../../model/schema/value-types.ts';
import type { Condition, Operand, RelatedCondition } from '../bound.ts';
import type { ErrorPolicy } from '../errors.ts';
import { type Comparison, type Operator, type OperatorName, operators } from '../operators.ts';
import type { Binding } from '../policies.ts';
import { type AttributeNode, type FilterNode, itemsOf, type MemberNode } from '../syntax/filter-nodes.ts';
import type { OperandPlace, Part } from '../syntax/location.ts';
import { isContainer } from '../syntax/parse.ts';
import { accentRule } from './bind-language.ts';
import { findAttribute, leadsOn } from './bind-names.ts';
import { readZoneFilters } from './bind-zone-filters.ts';
import { type CastPolicy, castOperand } from './cast.ts';

/** Binds `filters` of a populated type. Null if there are none. */
export function bindFilters(binding: Binding, type: EntryType, node: FilterNode, part: Part): Condition | null {
  binding.policies.request.checkFilterNames(binding, type, node, part.param);
  return bindCheckedFilters(binding, type, node, part);
}

/** Binds filters whose names have been checked. */
export function bindCheckedFilters(binding: Binding, type: EntryType, node: FilterNode, part: Part): Condition | null {
  if (node.raw === undefined || node.raw === null) return null;
  if (binding.policies.filter.countsAsAbsent(node, part)) return null;
  if (node.kind === 'value') throw binding.policies.errors.wrongFilters(part, node.raw);
  return new FilterBinder(binding, part).filter(type, node, false, null);
}

/**
 * Walks a filter once and moves negation down: below a `$not`, "and" becomes "or", "or" becomes "and", and each
 * comparison is negated. Where a relation is negated whole, negation stops there, and the filter inside is bound as it
 * is written.
 */
class FilterBinder {
  readonly #binding: Binding;
  readonly #part: Part;

  constructor(binding: Binding, part: Part) {
    this.#binding = binding;
    this.#part = part;
  }

  /**
   * Binds a filter on a type. Its comparisons apply to `subject`: the id where a relation was entered, null at the
   * root, where there is nothing to compare.
   */
  filter(type: EntryType, node: FilterNode, negated: boolean, subject: ScalarAttribute | null): Condition | null {
    if (node.kind === 'value') return null;
    const conditions =
      node.kind === 'list'
        ? node.items.map((item, i) => this.#nested(type, item, String(i), negated, subject))
        : node.members.map((member) => this.#member(type, member, negated, subject));
    return combined(conditions, 'all', negated);
  }

  #member(type: EntryType, member: MemberNode, negated: boolean, subject: ScalarAttribute | null): Condition | null {
    const { key, value, path } = member;
    if (value.raw === undefined) return null;
    switch (member.kind) {
      case 'attribute':
        return this.#attribute(type, member, negated);
      case 'not':
        return this.#nested(type, value, key, !negated, subject);
      case 'and':
      case 'or': {
        const conditions = itemsOf(value).map((item) => this.#nested(type, item, key, negated, subject));
        return combined(conditions, member.kind === 'or' ? 'any' : 'all', negated);
      }
      case 'comparison':
        if (subject) return bindComparison(this.#binding, this.#part, subject, member.key, value, negated);
        break;
      case 'unknown':
        break;
      default:
        member satisfies never;
    }
    throw this.#binding.policies.errors.wrongKey(this.#part, key, path, subject, value.raw);
  }

  /** Binds a filter below a logical operator or in a list. Throws for a single value. */
  #nested(
    type: EntryType,
    node: FilterNode,
    key: string,
    negated: boolean,
    subject: ScalarAttribute | null,
  ): Condition | null {
    if (node.kind !== 'value') return this.filter(type, node, negated, subject);
    throw this.#binding.policies.errors.notAGroup(this.#part, key, node.path, node.raw);
  }

  #attribute(type: EntryType, member: AttributeNode, negated: boolean): Condition | null {
    const { key, parent, value } = member;
    const binding = this.#binding;
    const { errors, filter } = binding.policies;
    const nameUse = { part: this.#part, name: key, parent, use: 'filter', value: value.raw } as const;
    const attribute = findAttribute(binding, type, nameUse);
    if (isScalar(attribute)) return this.#scalar(attribute, value, negated);
    if (attribute.kind === 'dynamiczone' && binding.features.has('zoneFilters')) {
      return this.#zone(attribute, member, negated);
    }
    if (!leadsOn(binding, attribute)) throw errors.wrongName(binding, type, nameUse);
    const target = binding.schema.type(attribute.target);
    const id = target.attributes.get('id') as ScalarAttribute;
    const excludes = negated && attribute.many && filter.negatesAsAntiJoin(attribute);
    const inner = negated && !excludes;
    const condition = isOperand(value) ? this.#scalar(id, value, inner) : this.filter(target, value, inner, id);
    if (!condition) return null;
    const related: RelatedCondition = { kind: 'related', attribute: filter.boundName(attribute), condition };
    return excludes ? { kind: 'not', condition: related } : related;
  }

  /** Binds conditions on the components of a dynamic zone, as those on a relation to many entries. */
  #zone(attribute: PolymorphicAttribute, member: AttributeNode, negated: boolean): Condition | null {
    const excludes = negated && this.#binding.policies.filter.negatesAsAntiJoin(attribute);
    const parts = readZoneFilters(this.#binding, this.#part, attribute, member).map(({ type, conditions }) => {
      const id = type.attributes.get('id') as ScalarAttribute;
      const condition = this.filter(type, conditions, negated && !excludes, id);
      if (!condition) return null;
      const related = { kind: 'related', attribute: attribute.name, component: type.uid, condition } as const;
      return excludes ? ({ kind: 'not', condition: related } as const) : related;
    });
    return combined(parts, 'all', negated);
  }

  /** Binds the value of a scalar attribute: comparisons, `$and`, `$or` and `$not` over them, a value, or a list. */
  #scalar(attribute: ScalarAttribute, node: FilterNode, negated: boolean): Condition | null {
    const binding = this.#binding;
    if (node.kind === 'value') return bindComparison(binding, this.#part, attribute, '$eq', node, negated);
    if (node.kind === 'list') return bindComparison(binding, this.#part, attribute, '$in', node, negated);
    const conditions = node.members.map((member) => {
      const { kind, key, path, value } = member;
      if (kind === 'comparison') return bindComparison(binding, this.#part, attribute, key, value, negated);
      if (kind === 'attribute' || kind === 'unknown') {
        const at = kind === 'attribute' ? member.parent : path;
        throw binding.policies.errors.wrongKey(this.#part, key, at, attribute, value.raw);
      }
      const inner = kind === 'not' ? !negated : negated;
      const parts = itemsOf(value).map((item) => this.#scalar(attribute, item, inner));
      return combined(parts, kind === 'or' ? 'any' : 'all', inner);
    });
    return combined(conditions, 'all', negated);
  }
}

/** Returns whether the value of a relation is compared with its id. */
function isOperand(node: FilterNode): boolean {
  return node.kind === 'value' || (node.kind === 'list' && node.items.every(({ kind }) => kind === 'value'));
}

/** Combines conditions, without those that are empty. Null if all are. */
export function combined(
  conditions: readonly (Condition | null)[],
  kind: 'all' | 'any',
  negated: boolean,
): Condition | null {
  const given = conditions.filter((condition) => condition !== null);
  if (given.length <= 1) return given[0] ?? null;
  const flipped = kind === 'all' ? 'any' : 'all';
  return { kind: negated ? flipped : kind, conditions: given };
}

/** Binds one operator, or its negation, applied to a scalar attribute. Casts the operands. */
function bindComparison(
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
  const { comparisonFor } = binding.policies.database;
  const comparison =
    isEquality && (raw === null || raw === undefined) ? 'isNull' : comparisonFor(operator.comparison, attribute);
  checkSupport(binding, place, attribute, comparison, raw);
  // a list given to an operator of one value means "or" over its items
  if (node.kind === 'list' && operand !== 'list' && operand !== 'pair') {
    const conditions = node.items.map((item) => bindComparison(binding, part, attribute, key, item, negated));
    return { kind: negated ? 'all' : 'any', conditions };
  }
  const isInverted = operand === 'boolean' && !castFlag(binding, place, raw);
  const operands = comparison === 'isNull' ? [] : castOperands(binding, place, operand, attribute, raw);
  binding.budget.countCondition(part.param);
  const isNegated = (operator.negated !== negated) !== isInverted;
  const rule = comparison === 'isNull' ? null : accentRule(binding, operator.comparison, attribute);
  return { kind: 'value', attribute: attribute.name, comparison, operands, negated: isNegated, ...rule };
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
  { name, type }: ScalarAttribute,
  raw: unknown,
): Operand[] {
  const { looseId } = casts;
  const castValue =
    name === 'id' && looseId && operand !== 'text'
      ? looseCaster(looseId, casts, errors, place)
      : caster(operand === 'text' ? 'string' : type, casts, errors, place);
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

/** The same for ids that are compared with any text. */
function looseCaster(looseId: (text: string) => number, casts: CastPolicy, errors: ErrorPolicy, place: OperandPlace) {
  return (item: unknown) => {
    const text = castOperand('string', item, casts, errors, place);
    return text === null ? null : looseId(String(text));
  };
}

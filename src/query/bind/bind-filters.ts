import { type EntryType, isScalar, type ScalarAttribute } from '../../model/schema.ts';
import { comparisonKindOf } from '../../model/value-types.ts';
import type { Condition, Operand, RelatedCondition } from '../bound.ts';
import type { Messages } from '../messages.ts';
import { type Comparison, logicalOperators, type Operator, operators } from '../operators.ts';
import { checkFilterNames } from '../strapi/check-names.ts';
import { childPath, type OperandPlace, type Part, type Path } from '../syntax/place.ts';
import { type Binding, boundName, findAttribute, leadsOn, wrongName } from './binding.ts';
import { type Casts, castOperand } from './cast.ts';

/** Binds `filters`. Null where there are none. */
export function bindFilters(binding: Binding, type: EntryType, value: unknown, part: Part): Condition | null {
  checkFilterNames(binding, type, value, part.param);
  return buildFilter(binding, type, value, part);
}

/** Binds filters whose names have been checked. */
export function buildFilter(binding: Binding, type: EntryType, value: unknown, part: Part): Condition | null {
  if (value === undefined || value === null) return null;
  if (value === '' && part.param === 'populate' && binding.dialect.dropsEmptyParts) return null;
  if (typeof value !== 'object') throw binding.messages.filters(part, value);
  return new FilterBinder(binding, part).group(type, value, part.path, false, null);
}

/**
 * Walks the filter once and moves negation down: below a `$not`, "and" becomes "or", "or" becomes "and", and each test
 * is negated. Where the dialect negates relations to many whole, negation stops there, and what stands inside is bound
 * as it is written.
 */
class FilterBinder {
  readonly #binding: Binding;
  readonly #part: Part;

  constructor(binding: Binding, part: Part) {
    this.#binding = binding;
    this.#part = part;
  }

  /**
   * An object of conditions that must all hold, or a list of such objects. Comparison operators in it speak of
   * `subject`: the id where a relation was entered, null at the root, where there is nothing that they could mean.
   */
  group(
    type: EntryType,
    value: object,
    path: Path,
    negated: boolean,
    subject: ScalarAttribute | null,
  ): Condition | null {
    if (Array.isArray(value)) {
      return joined(
        value.map((item, i) => this.#member(type, item, path, negated, subject, String(i))),
        'all',
        negated,
      );
    }
    const conditions = Object.entries(value).map(([key, operand]) => {
      if (operand === undefined) return null;
      if (logicalOperators.has(key)) return this.#logical(type, key, operand, path, negated, subject);
      const operator = operators.get(key);
      if (operator && subject) return this.#comparison(subject, key, operator, operand, path, negated);
      if (key.startsWith('$')) {
        throw this.#binding.messages.operator(this.#part, key, path, subject, operand);
      }
      return this.#attribute(type, key, operand, path, negated);
    });
    return joined(conditions, 'all', negated);
  }

  #logical(
    type: EntryType,
    key: string,
    operand: unknown,
    path: Path,
    negated: boolean,
    subject: ScalarAttribute | null,
  ): Condition | null {
    if (key === '$not') return this.#member(type, operand, path, !negated, subject, key);
    const items = Array.isArray(operand) ? operand : [operand];
    const conditions = items.map((item) => this.#member(type, item, path, negated, subject, key));
    return joined(conditions, key === '$or' ? 'any' : 'all', negated);
  }

  #member(
    type: EntryType,
    value: unknown,
    path: Path,
    negated: boolean,
    subject: ScalarAttribute | null,
    key: string,
  ): Condition | null {
    if (typeof value === 'object' && value !== null) return this.group(type, value, path, negated, subject);
    throw this.#binding.messages.group(this.#part, key, path, value);
  }

  #attribute(type: EntryType, name: string, value: unknown, path: Path, negated: boolean): Condition | null {
    const binding = this.#binding;
    const relation = findAttribute(binding, this.#part, type, name, path, 'filter', value);
    const at = childPath(path, name);
    if (isScalar(relation)) return this.#scalar(relation, value, at, negated);
    if (!leadsOn(binding, relation)) throw wrongName(binding, this.#part, type, name, path, 'filter', value);
    const target = this.#binding.schema.type(relation.target);
    const id = target.attributes.get('id') as ScalarAttribute;
    const isGroup = typeof value === 'object' && value !== null && !isListOfValues(value);
    const excludes = negated && relation.many && this.#binding.dialect.negatesRelationsWhole;
    const inner = negated && !excludes;
    const condition = isGroup ? this.group(target, value, at, inner, id) : this.#scalar(id, value, at, inner);
    if (!condition) return null;
    const related: RelatedCondition = { kind: 'related', attribute: boundName(this.#binding, relation), condition };
    return excludes ? { kind: 'not', condition: related } : related;
  }

  /** The value of a scalar attribute's key: operators, `$and`, `$or`, `$not` over them, one value, or a list. */
  #scalar(attribute: ScalarAttribute, value: unknown, path: string, negated: boolean): Condition | null {
    if (typeof value !== 'object' || value === null || value instanceof Date) {
      return this.#comparison(attribute, '$eq', operators.get('$eq')!, value, path, negated);
    }
    if (Array.isArray(value)) {
      return this.#comparison(attribute, '$in', operators.get('$in')!, value, path, negated);
    }
    const conditions = Object.entries(value).map(([key, operand]) => {
      const operator = operators.get(key);
      if (operator) return this.#comparison(attribute, key, operator, operand, path, negated);
      if (!logicalOperators.has(key)) {
        throw this.#binding.messages.operator(this.#part, key, path, attribute, operand);
      }
      const items = Array.isArray(operand) ? operand : [operand];
      const inner = key === '$not' ? !negated : negated;
      const parts = items.map((item) => this.#scalar(attribute, item, path, inner));
      return joined(parts, key === '$or' ? 'any' : 'all', inner);
    });
    return joined(conditions, 'all', negated);
  }

  /** Whether the dialect has a test on JSON, which is then made of its text. */
  #looksInside({ type }: ScalarAttribute, test: Comparison): boolean {
    return this.#binding.dialect.looksIntoJson && type !== 'array' && jsonTests.has(test);
  }

  #comparison(
    attribute: ScalarAttribute,
    key: string,
    operator: Operator,
    raw: unknown,
    path: Path,
    negated: boolean,
  ): Condition {
    const { casts, messages, slots, budget } = this.#binding;
    const place = { part: this.#part, operator: key, path };
    // no value given: to be equal to nothing is to be null
    const isEquality = operator.comparison === 'equal' || operator.comparison === 'equalFolded';
    const test = isEquality && (raw === null || raw === undefined) ? 'isNull' : operator.comparison;
    const comparison = comparisonKindOf(attribute.type);
    const isText = operator.operand === 'text';
    if (test !== 'isNull' && comparison === 'presence' && !this.#looksInside(attribute, test)) {
      throw messages.operatorOnType(place, attribute.type, raw);
    }
    const leaf = (test: typeof operator.comparison, operands: readonly Operand[], inverted = false): Condition => {
      budget.countCondition(this.#part.param);
      return {
        kind: 'value',
        attribute: attribute.name,
        comparison: test,
        operands,
        negated: (operator.negated !== negated) !== inverted,
      };
    };
    const castValue = caster(isText ? asText(attribute) : attribute, casts, messages, place);
    const cast = (item: unknown) => (slots ? slots.cast(item, castValue) : castValue(item));
    if (operator.operand === 'list' || operator.operand === 'pair') {
      const list = Array.isArray(raw) ? raw : isGroupOfValues(raw) ? Object.values(raw) : [raw];
      const operands = list.map(cast);
      if (operator.operand === 'pair' && list.length !== 2) throw messages.pair(place, list);
      return leaf(operator.comparison, operands);
    }
    // a list given to an operator of one value means "or" over its items
    if (Array.isArray(raw)) {
      const conditions = raw.map((item) => this.#comparison(attribute, key, operator, item, path, negated));
      return { kind: negated ? 'all' : 'any', conditions };
    }
    if (operator.operand === 'boolean') {
      const flag = casts.boolean(slots ? slots.constant(raw) : raw);
      if (flag === null) throw messages.operand(place, raw, 'boolean');
      return leaf('isNull', [], !flag);
    }
    return test === 'isNull' ? leaf(test, []) : leaf(test, [cast(raw)]);
  }
}

/** Templates keep casts. A function of its own keeps one from holding on to all that binding a comparison looks at. */
function caster(attribute: ScalarAttribute, casts: Casts, messages: Messages, place: OperandPlace) {
  return (item: unknown) => castOperand(attribute, item, casts, messages, place);
}

const texts = new WeakMap<ScalarAttribute, ScalarAttribute>();

/** The attribute as one of text. Made once for each. */
function asText(attribute: ScalarAttribute): ScalarAttribute {
  let text = texts.get(attribute);
  if (!text) texts.set(attribute, (text = { ...attribute, type: 'string' }));
  return text;
}

const jsonTests: ReadonlySet<Comparison> = new Set<Comparison>([
  'equal',
  'oneOf',
  'equalFolded',
  'containsFolded',
  'startsWithFolded',
  'endsWithFolded',
]);

function isListOfValues(value: object): boolean {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
}

function isGroupOfValues(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

/** One condition of several, leaving out those that say nothing; null if none says anything. */
function joined(conditions: readonly (Condition | null)[], kind: 'all' | 'any', negated: boolean): Condition | null {
  const said = conditions.filter((condition) => condition !== null);
  if (said.length === 0) return null;
  if (said.length === 1) return said[0];
  const flipped = kind === 'all' ? 'any' : 'all';
  return { kind: negated ? flipped : kind, conditions: said };
}

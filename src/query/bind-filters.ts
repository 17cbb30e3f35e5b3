import { invalidKey, ValidationError } from '../errors.ts';
import { type EntryType, isScalar, type ScalarAttribute } from '../schema/schema.ts';
import { comparisonOf } from '../schema/values.ts';
import { type Binding, boundName, findAttribute, followRelation, join, type Path } from './binding.ts';
import type { Condition, Operand, RelatedCondition } from './bound.ts';
import { castBoolean, castOperand } from './cast.ts';
import { checkFilterNames } from './check-names.ts';
import { logicalOperators, type Operator, operators, type Test } from './operators.ts';

/** Binds `filters`. Null where it says nothing. */
export function bindFilters(
  binding: Binding,
  type: EntryType,
  value: unknown,
  path: Path = null,
  param = 'filters',
): Condition | null {
  checkFilterNames(binding, type, value, param);
  return buildFilter(binding, type, value, path, param);
}

/** Binds filters whose names have been checked. */
export function buildFilter(
  binding: Binding,
  type: EntryType,
  value: unknown,
  path: Path = null,
  param = 'filters',
): Condition | null {
  if (value === undefined || value === null) return null;
  if (value === '' && param === 'populate' && binding.dialect.dropsEmptyParts) return null;
  if (typeof value !== 'object') {
    throw new ValidationError('The filters parameter must be an object or an array');
  }
  return new FilterBinder(binding, param).group(type, value, path, false, null);
}

/**
 * Walks the filter once and moves negation down: below a `$not`, "and" becomes "or", "or" becomes "and", and each test
 * is negated. Where the dialect negates relations to many whole, negation stops there, and what stands inside is bound
 * as it is written.
 */
class FilterBinder {
  readonly #binding: Binding;
  readonly #param: string;

  constructor(binding: Binding, param: string) {
    this.#binding = binding;
    this.#param = param;
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
      if (key.startsWith('$')) throw invalidKey(this.#param, key, path);
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
    throw invalidKey(this.#param, key, path);
  }

  #attribute(type: EntryType, name: string, value: unknown, path: Path, negated: boolean): Condition | null {
    const attribute = findAttribute(type, name, path, this.#param);
    const at = join(path, name);
    if (isScalar(attribute)) return this.#scalar(attribute, value, at, negated);
    const relation = followRelation(this.#binding, attribute, path, this.#param);
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
      if (!logicalOperators.has(key)) throw invalidKey(this.#param, key, path);
      const items = Array.isArray(operand) ? operand : [operand];
      const inner = key === '$not' ? !negated : negated;
      const parts = items.map((item) => this.#scalar(attribute, item, path, inner));
      return joined(parts, key === '$or' ? 'any' : 'all', inner);
    });
    return joined(conditions, 'all', negated);
  }

  /** Whether the dialect has a test on JSON, which is then made of its text. */
  #looksInside({ type }: ScalarAttribute, test: Test): boolean {
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
    // no value given: to be equal to nothing is to be null
    const isEquality = operator.test === 'equal' || operator.test === 'equalFolded';
    const test = isEquality && (raw === null || raw === undefined) ? 'isNull' : operator.test;
    const comparison = comparisonOf(attribute.type);
    const isText = operator.operand === 'text';
    if (test !== 'isNull' && comparison === 'presence' && !this.#looksInside(attribute, test)) {
      throw new ValidationError(`${key} cannot be used on ${path}, which is of the type ${attribute.type}`, {
        key,
        path,
        source: 'query',
        param: this.#param,
      });
    }
    const leaf = (test: typeof operator.test, operands: readonly Operand[], inverted = false): Condition => {
      budget.countCondition();
      return {
        kind: 'value',
        attribute: attribute.name,
        test,
        operands,
        negated: (operator.negated !== negated) !== inverted,
      };
    };
    const { dialect, slots, budget } = this.#binding;
    const compared = isText ? { ...attribute, type: 'string' as const } : attribute;
    const castValue = (item: unknown) => castOperand(compared, item, key, path, this.#param, dialect);
    const cast = (item: unknown) => (slots ? slots.cast(item, castValue) : castValue(item));
    if (operator.operand === 'list' || operator.operand === 'pair') {
      const list = Array.isArray(raw) ? raw : isGroupOfValues(raw) ? Object.values(raw) : [raw];
      const operands = list.map(cast);
      if (operator.operand === 'pair' && list.length !== 2) {
        throw new ValidationError(`${key} on ${path} takes exactly two values, not ${list.length}`, {
          key,
          path,
          source: 'query',
          param: this.#param,
        });
      }
      return leaf(operator.test, operands);
    }
    // a list given to an operator of one value means "or" over its items
    if (Array.isArray(raw)) {
      const conditions = raw.map((item) => this.#comparison(attribute, key, operator, item, path, negated));
      return { kind: negated ? 'all' : 'any', conditions };
    }
    if (operator.operand === 'boolean') return leaf('isNull', [], !castBoolean(slots ? slots.constant(raw) : raw));
    return test === 'isNull' ? leaf(test, []) : leaf(test, [cast(raw)]);
  }
}

const jsonTests: ReadonlySet<Test> = new Set<Test>([
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

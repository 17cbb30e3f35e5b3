/**
 * Queries that Strapi fails on with a 500 although they have a meaning. For a list, that meaning is answered. For one
 * entry, an answer would reveal whether the entry exists, which Strapi never does, so the query is rejected with a 400.
 */
import { invalidKey } from '../../core/errors.ts';
import {
  type EntryType,
  isPolymorphic,
  isScalar,
  type ScalarAttribute,
  type Schema,
} from '../../model/schema/schema.ts';
import { comparisonKindOf } from '../../model/schema/value-types.ts';
import type { SortKey } from '../bound.ts';
import { type OperatorName, operators } from '../operators.ts';
import {
  type AttributeNode,
  type FilterNode,
  itemsOf,
  type MemberNode,
  type ValueNode,
} from '../syntax/filter-nodes.ts';
import type { Path } from '../syntax/location.ts';

/** Throws for a key of the type itself that occurs twice in a sort that also leads through a relation. */
export function rejectUnanswerableSort(sort: readonly SortKey[]): void {
  if (sort.every(({ path }) => path.length === 1)) return;
  const own = new Set<string>();
  for (const { path } of sort) {
    if (path.length > 1) continue;
    if (own.has(path[0])) throw invalidKey('sort', path[0], path[0]);
    own.add(path[0]);
  }
}

interface Checks {
  readonly schema: Schema;
  /** Whether the database rejects operands and operators of another type than a column's. */
  readonly columnsAreTyped: boolean;
}

/** Throws for filters that Strapi fails on. They have been bound, so they have a meaning. */
export function rejectUnanswerableFilters(checks: Checks, type: EntryType, filters: FilterNode): void {
  if (filters.kind === 'list') reject('0', null);
  checkGroup(checks, type, filters);
}

/** Operators of text that the database takes for columns of text only. */
const textOperators: ReadonlySet<string> = new Set(['$contains', '$notContains', '$startsWith', '$endsWith']);

/** Checks attributes, `$and`, `$or` and `$not`. Operators that compare fail here. */
function checkGroup(checks: Checks, type: EntryType, node: FilterNode): void {
  for (const member of membersOf(node)) {
    const { kind, key, path, value } = member;
    switch (kind) {
      case 'comparison':
        return reject(key, path);
      case 'not':
        if (value.kind === 'list') checkRawList(checks, type, value.items);
        else checkGroup(checks, type, value);
        break;
      case 'and':
      case 'or':
        if (value.kind !== 'list') reject(key, path);
        checkGroup(checks, type, value);
        break;
      case 'attribute':
        checkAttribute(checks, type, member);
        break;
      case 'unknown':
        break;
      default:
        kind satisfies never;
    }
  }
}

/**
 * Checks a list below `$not`. Strapi passes it to the database unchanged, so only attributes whose column has the same
 * name work.
 */
function checkRawList(checks: Checks, type: EntryType, items: readonly FilterNode[]): void {
  for (const member of items.flatMap(membersOf)) {
    const { kind, key, value } = member;
    if (kind === 'and' || kind === 'or' || kind === 'not') {
      checkRawList(checks, type, itemsOf(value));
      continue;
    }
    const at = kind === 'attribute' ? member.parent : member.path;
    const attribute = type.attributes.get(key);
    if (kind !== 'attribute' || !attribute || !isScalar(attribute) || key !== key.toLowerCase()) reject(key, at);
    checkAttribute(checks, type, member);
  }
}

function checkAttribute(checks: Checks, type: EntryType, { key, value }: AttributeNode): void {
  const attribute = type.attributes.get(key);
  if (!attribute || isPolymorphic(attribute)) return;
  if (isScalar(attribute)) checkScalar(checks, attribute, '$eq', value);
  else checkRelated(checks, checks.schema.type(attribute.target), value);
}

/** Checks the value of a relation: attributes, or one operator alone. */
function checkRelated(checks: Checks, target: EntryType, node: FilterNode): void {
  const id = target.attributes.get('id') as ScalarAttribute;
  if (node.kind === 'value') return checkScalar(checks, id, '$eq', node);
  if (node.kind === 'list') {
    if (node.items.some(({ kind }) => kind !== 'value')) reject('0', node.path);
    return checkScalar(checks, id, '$eq', node);
  }
  const operator = node.members.find((member) => member.kind !== 'attribute' && member.kind !== 'unknown');
  const isOnly = node.members.length === 1;
  if (operator === undefined || operator.kind === 'and' || operator.kind === 'or') {
    if (operator !== undefined && !isOnly) reject(operator.key, node.path);
    return checkGroup(checks, target, node);
  }
  const { key, value } = operator;
  const isNested = operator.kind === 'not' && itemsOf(value).some(({ kind }) => kind !== 'value');
  if (!isOnly || isNested) reject(key, node.path);
  checkScalar(checks, id, key, value);
}

/** Checks the value of a scalar attribute: an operand of `operator`, or operators. */
function checkScalar(
  checks: Checks,
  attribute: ScalarAttribute,
  operator: OperatorName | '$not',
  node: FilterNode,
): void {
  const { columnsAreTyped } = checks;
  if (columnsAreTyped && textOperators.has(operator) && comparisonKindOf(attribute.type) !== 'text')
    reject(operator, node.path);
  switch (node.kind) {
    case 'value':
      if (columnsAreTyped) checkOperand(attribute, operator, node);
      return;
    case 'list':
      for (const item of node.items) checkScalar(checks, attribute, operator, item);
      return;
    case 'group':
      for (const { kind, key, value, path } of node.members) {
        if (kind === 'and' || kind === 'or') reject(key, path);
        checkScalar(checks, attribute, kind === 'comparison' || kind === 'not' ? key : operator, value);
      }
      return;
    default:
      node satisfies never;
  }
}

function checkOperand(attribute: ScalarAttribute, operator: OperatorName | '$not', { raw, path }: ValueNode): void {
  const operand = operator === '$not' ? 'value' : operators[operator].operand;
  if (operand !== 'text' && operand !== 'boolean' && !isStorable(attribute, raw)) reject(operator, path);
}

function reject(key: string, path: Path): never {
  throw invalidKey('filters', key, path);
}

/** Returns the members of an object, or of all objects in a list. */
function membersOf(node: FilterNode): readonly MemberNode[] {
  if (node.kind === 'group') return node.members;
  return node.kind === 'list' ? node.items.flatMap(membersOf) : [];
}

/** Returns whether a column of whole numbers, of 32 or 64 bits, can hold an operand. */
function isStorable({ type }: ScalarAttribute, value: unknown): boolean {
  if (value === null || value === undefined || (type !== 'integer' && type !== 'biginteger')) return true;
  if (type === 'biginteger') return BigInt.asIntN(64, BigInt(String(value))) === BigInt(String(value));
  return (Number(value) | 0) === Number(value);
}

import { type Access, requireFind } from './access.ts';
import { ignoringAccents, type Operator, operatorsOf } from './operators.ts';
import { type Attribute, type Database, type Dialect, isObject, Refused, Unspecified } from './snapshot.ts';
import { attributeOf, FILE, isHidden, isMany, isPolymorphic, isScalar, type Type } from './types.ts';
import { type Comparable, castFlag, castOperand, isOrdered, isText } from './values.ts';
import type { World } from './world.ts';

/** A filter whose names are checked and whose operands are cast, otherwise as it was written. */
export type Filter =
  | { kind: 'and' | 'or'; parts: Filter[] }
  | { kind: 'not'; part: Filter }
  /**
   * One visit to a relation, component or media field, or to the components of the type `only` in a zone. `whole`: a "not"
   * around it asks that no visit succeeds.
   */
  | { kind: 'related'; name: string; only?: string; whole: boolean; part: Filter }
  | { kind: 'flag'; name: string; wantsNull: boolean }
  | { kind: 'list'; name: string; attribute: Attribute; negative: boolean; operands: Comparable[]; database: Database }
  | { kind: 'value'; name: string; attribute: Attribute; operator: Operator; operands: Comparable[] };

export interface Scope {
  world: World;
  dialect: Dialect;
  access: Access;
  /** Whose order texts are sorted in; with one, operators that ignore case ignore accents too. */
  language: string | null;
}

/** The `filters` parameter of a type; refuses what may not be named. */
export function readFilter(scope: Scope, type: Type, input: unknown): Filter {
  if (Array.isArray(input)) return { kind: 'and', parts: input.map((item) => readFilter(scope, type, item)) };
  if (!isObject(input)) throw new Refused(400, 'filters must be an object');
  return readGroup(scope, type, input, false);
}

/**
 * All keys of one object, joined with "and". Inside a relation (`nested`) an operator compares the related id.
 */
function readGroup(scope: Scope, type: Type, input: Record<string, unknown>, nested: boolean): Filter {
  const keys = Object.keys(input);
  if (keys.length === 0) throw new Unspecified('empty filter object');
  const parts = keys.map((key): Filter => {
    const value = input[key];
    if (key === '$and') return { kind: 'and', parts: readGroups(scope, type, value, nested) };
    if (key === '$or') return { kind: 'or', parts: readGroups(scope, type, value, nested) };
    if (key === '$not') return { kind: 'not', part: { kind: 'and', parts: readGroups(scope, type, value, nested) } };
    if (key.startsWith('$')) {
      if (!nested) throw new Refused(400, `Invalid key ${key}`);
      return readOperator(scope, 'id', { type: 'integer' }, key, value);
    }
    return readAttribute(scope, type, key, value);
  });
  return { kind: 'and', parts };
}

/** The operand of `$and`, `$or` or `$not`: one group or a list of groups. */
function readGroups(scope: Scope, type: Type, input: unknown, nested: boolean): Filter[] {
  const groups = Array.isArray(input) ? input : [input];
  if (groups.length === 0) throw new Unspecified('empty list of groups');
  return groups.map((group) => {
    if (!isObject(group)) throw new Refused(400, 'a group must be an object');
    return readGroup(scope, type, group, nested);
  });
}

function readAttribute(scope: Scope, type: Type, name: string, value: unknown): Filter {
  const attribute = attributeOf(type, name);
  if (!attribute || isHidden(attribute)) throw new Refused(400, `Invalid key ${name}`);
  if (isScalar(attribute)) return readField(scope, name, attribute, value);
  if (attribute.type === 'dynamiczone' && scope.world.features.has('zoneFilters')) {
    return readZone(scope, name, attribute, value);
  }
  if (attribute.type === 'dynamiczone' || isPolymorphic(attribute)) throw new Refused(400, `Invalid key ${name}`);
  if (attribute.morphBy) throw new Unspecified('filter through the other side of a polymorphic relation');
  if (name === 'localizations') throw new Unspecified('filter through localizations');
  if (attribute.type === 'media' && scope.dialect === 'document') throw new Refused(400, `Invalid key ${name}`);
  const whole = scope.dialect === 'document' && isMany(attribute);
  return { kind: 'related', name, whole, part: readRelated(scope, relatedType(scope, attribute, name), value) };
}

/** Some component of each type that `on` names meets all conditions that stand there. */
function readZone(scope: Scope, name: string, attribute: Attribute, value: unknown): Filter {
  if (!isObject(value) || Object.keys(value).length !== 1 || !isObject(value.on)) {
    throw new Refused(400, `Invalid key ${name}: only on`);
  }
  const parts = Object.entries(value.on).map(([uid, conditions]): Filter => {
    if (!attribute.components!.includes(uid)) throw new Refused(400, `Invalid key ${uid}`);
    if (!isObject(conditions)) throw new Refused(400, `conditions on ${uid} must be an object`);
    const part = readGroup(scope, scope.world.components[uid]!, conditions, true);
    return { kind: 'related', name, only: uid, whole: scope.dialect === 'document', part };
  });
  return { kind: 'and', parts };
}

export function relatedType(scope: Scope, attribute: Attribute, path: string): Type {
  if (attribute.type === 'component') return scope.world.components[attribute.component!]!;
  const type = scope.world.types[attribute.type === 'media' ? FILE : attribute.target!]!;
  requireFind(scope.access, type, path);
  return type;
}

function readRelated(scope: Scope, type: Type, value: unknown): Filter {
  if (isObject(value)) return readGroup(scope, type, value, true);
  return readField(scope, 'id', { type: 'integer' }, value);
}

/** Conditions on one scalar: a bare value, a bare list, or an object of operators and field-level groups. */
function readField(scope: Scope, name: string, attribute: Attribute, value: unknown): Filter {
  if (Array.isArray(value)) return readOperator(scope, name, attribute, '$in', value);
  if (!isObject(value)) return readOperator(scope, name, attribute, '$eq', value);
  const keys = Object.keys(value);
  if (keys.length === 0) throw new Unspecified('empty field object');
  const parts = keys.map((key): Filter => {
    const groups = () => (Array.isArray(value[key]) ? value[key] : [value[key]]) as unknown[];
    const read = () => groups().map((group) => readField(scope, name, attribute, group));
    if (key === '$and') return { kind: 'and', parts: read() };
    if (key === '$or') return { kind: 'or', parts: read() };
    if (key === '$not') return { kind: 'not', part: { kind: 'and', parts: read() } };
    return readOperator(scope, name, attribute, key, value[key]);
  });
  return { kind: 'and', parts };
}

function readOperator(scope: Scope, name: string, attribute: Attribute, key: string, operand: unknown): Filter {
  const { database } = scope.world;
  const operators = operatorsOf(database);
  if (!Object.hasOwn(operators, key)) throw new Refused(400, `Invalid key ${key} at ${name}`);
  const operator = scope.language === null ? operators[key]! : ignoringAccents(key, operators[key]!);
  const { takes, text } = operator;
  if (takes === 'flag')
    return { kind: 'flag', name, wantsNull: castFlag(operand, scope.dialect) === (key === '$null') };
  if (operand === null && (key === '$eq' || key === '$ne')) return { kind: 'flag', name, wantsNull: key === '$eq' };
  if (!isOrdered(attribute)) throw new Unspecified(`${key} on ${attribute.type}`);
  if (text && !isText(attribute)) throw new Unspecified(`${key} on ${attribute.type}`);
  // Strapi hands ids on to the database as they are written: SQLite takes any text for greater than a number, MySQL for 0
  const ofText = { postgres: null, sqlite: Number.POSITIVE_INFINITY, mysql: 0 }[database];
  const operands = (Array.isArray(operand) ? operand : [operand]).map((item) => {
    const isLoose = name === 'id' && scope.dialect === 'strapi' && ofText !== null;
    if (isLoose && typeof item === 'string' && Number.isNaN(Number.parseFloat(item))) return ofText;
    return castOperand(attribute, item, scope.dialect);
  });
  if (operands.length === 0) throw new Unspecified(`${key} of an empty list`);
  if (takes === 'pair' && operands.length !== 2) throw new Refused(400, `${key} takes two values`);
  if (takes === 'list') return { kind: 'list', name, attribute, negative: key === '$notIn', operands, database };
  return { kind: 'value', name, attribute, operator, operands };
}

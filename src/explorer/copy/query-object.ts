/** A query as the object that the typed client takes. */
import type { AttributeDescription, SchemaDescription, TypeDescription } from '../../description/describe-schema.ts';
import type { ExploredQuery } from '../query/explored-query.ts';
import { groupBy } from '../query/group-by.ts';
import { nameOf, parseParameters } from '../query/parameters.ts';
import { printUrl } from '../query/print-url.ts';
import { isList, type QueryValue, readValue } from '../query/query-value.ts';
import { targetOf } from '../state/schema-index.ts';
import type { CodeValue } from './print-code.ts';

type Members = { [name: string]: CodeValue };

/**
 * Returns the query object of a query on a type. Operands have the types of their attributes. Null for notations that no
 * object has, such as `a[][b]`.
 */
export function queryObject(
  query: ExploredQuery,
  schema: SchemaDescription,
  type: TypeDescription | null,
): Members | null {
  const text = printUrl({ ...query, path: '' });
  const members: Members = {};
  for (const [name, parameters] of groupBy(parseParameters(text.slice(1)), nameOf)) {
    const read = readValue(parameters, 1);
    if (read === undefined) return null;
    const value = plainValue(read);
    members[name] = name === 'filters' ? typedFilters(value, schema, type) : typedOption(name, value, schema, type);
  }
  return members;
}

function plainValue(value: QueryValue): CodeValue {
  if (value === null || typeof value === 'string') return value;
  if (isList(value)) return value.map(plainValue);
  return Object.fromEntries(Array.from(value, ([name, inner]) => [name, plainValue(inner)]));
}

function typedOption(
  name: string,
  value: CodeValue,
  schema: SchemaDescription,
  type: TypeDescription | null,
): CodeValue {
  if (/^(?:fields|facets)$/.test(name)) return typeof value === 'string' ? value.split(',') : value;
  if (name === 'sort') return typeof value === 'string' && value.includes(',') ? value.split(',') : value;
  if (name === 'populate') return typedPopulate(value, schema, type);
  if (name === 'pagination') return mapMembers(value, (text) => scalarOf(text));
  return name === 'count' ? scalarOf(value) : value;
}

function typedPopulate(value: CodeValue, schema: SchemaDescription, type: TypeDescription | null): CodeValue {
  if (typeof value === 'string') return value.includes(',') ? value.split(',') : value;
  return mapMembers(value, (options, name) => {
    if (typeof options !== 'object') return scalarOf(options);
    const attribute = type?.attributes.find((each) => each.name === name);
    const target = attribute ? targetOf(schema, attribute) : null;
    return mapMembers(options, (inner, option) =>
      option === 'filters' ? typedFilters(inner, schema, target) : typedOption(option, inner, schema, target),
    );
  });
}

/** Gives operands the type of the attribute that the path above them leads to. */
function typedFilters(
  value: CodeValue,
  schema: SchemaDescription,
  type: TypeDescription | null,
  attribute: AttributeDescription | null = null,
  isText = false,
): CodeValue {
  if (Array.isArray(value)) return value.map((item) => typedFilters(item, schema, type, attribute, isText));
  if (typeof value !== 'object' || value === null) return isText || !attribute ? value : operandOf(value, attribute);
  return mapMembers(value, (inner, name) => {
    if (/^\$(?:null|notNull)$/i.test(name)) return scalarOf(inner);
    const isTextual = isText || /^\$(?:not)?(?:contains|starts|ends|eqi|nei)/i.test(name);
    if (name.startsWith('$')) return typedFilters(inner, schema, type, attribute, isTextual);
    const next = type?.attributes.find((each) => each.name === name) ?? null;
    return typedFilters(inner, schema, next ? targetOf(schema, next) : null, next);
  });
}

function operandOf(value: CodeValue, { type }: AttributeDescription): CodeValue {
  return /^(?:integer|float|decimal|boolean)$/.test(type) ? scalarOf(value) : value;
}

/** Returns the number or boolean that a text writes. */
function scalarOf(value: CodeValue): CodeValue {
  if (value === 'true' || value === 'false') return value === 'true';
  return typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value;
}

function mapMembers(value: CodeValue, change: (value: CodeValue, name: string) => CodeValue): CodeValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner, name)]));
}

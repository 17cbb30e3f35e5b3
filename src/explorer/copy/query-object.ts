/** A query as the object that the typed client takes. */
import type { AttributeDescription, SchemaDescription, TypeDescription } from '../../description/describe-schema.ts';
import type { ExploredQuery } from '../query/explored-query.ts';
import { type Parameter, parseParameters } from '../query/parameters.ts';
import { printUrl } from '../query/print-url.ts';
import { targetOf } from '../state/schema-index.ts';

/** A value of code: text, numbers, lists, objects. */
export type CodeValue =
  | string
  | number
  | boolean
  | null
  | readonly CodeValue[]
  | { readonly [name: string]: CodeValue };

type Members = { [name: string]: CodeValue };

/** Returns the query object of a query on a type. Operands have the types of their attributes. */
export function queryObject(query: ExploredQuery, schema: SchemaDescription, type: TypeDescription | null): Members {
  const text = printUrl({ ...query, path: '' });
  const tree = treeOf(parseParameters(text.slice(1)));
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => {
      if (name === 'filters') return [name, typedFilters(value, schema, type)];
      return [name, typedOption(name, value, schema, type)];
    }),
  );
}

function treeOf(parameters: readonly Parameter[]): Members {
  const root: Members = {};
  for (const { path, value } of parameters) {
    let at = root;
    for (const name of path.slice(0, -1)) {
      const inner = at[name];
      at = (typeof inner === 'object' && inner !== null ? inner : (at[name] = {})) as Members;
    }
    at[path[path.length - 1]] = value;
  }
  return listsIn(root) as Members;
}

function listsIn(value: CodeValue): CodeValue {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, listsIn(inner)] as const);
  const isList = entries.length > 0 && entries.every(([name], i) => name === String(i) || name === '');
  return isList ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
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

const lineLength = 80;

/** Prints a value as code: on one line if it fits. */
export function printCode(value: CodeValue, indent = ''): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(
    ([name, inner]) => (isList ? '' : `${nameOf(name)}: `) + printCode(inner as CodeValue, `${indent}  `),
  );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (members.length === 0) return open + close;
  const line = members.join(', ');
  if (indent.length + line.length < lineLength && !line.includes('\n')) return isList ? `[${line}]` : `{ ${line} }`;
  return `${open}\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}${close}`;
}

function nameOf(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quoted(name);
}

/** Returns a text as a literal of JavaScript. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

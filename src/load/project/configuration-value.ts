/** Values of a configuration file of Strapi, read from its syntax tree. The code is not run. */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { evaluate, returnedExpression } from './source/evaluate.ts';
import { Budget, definitionOf, NotConstantError, type Scope } from './source/scope.ts';
import type { SourceFile } from './source/source-file.ts';
import { isFunction, type Node, propertyName, unwrap } from './source/syntax.ts';

/** What the code of a configuration reads from outside. */
export interface CodeContext {
  readonly variables: ReadonlyMap<string, string>;
  /** The folder that the file has when Strapi runs it. */
  readonly folder: string;
  /** The folder in which Strapi is started. */
  readonly project: string;
}

/** Maximum number of names and members from the exported value to the one that is read. A longer way refers to itself. */
const maxDepth = 200;

/**
 * Returns the value at a path of what a file exports, such as `connection`, `client`. Only what leads there is
 * evaluated, so other parts may be any code. Returns undefined if the path leads nowhere. Throws a NotConstantError if
 * the value is computed in a way that is not known.
 */
export function configurationValue(file: SourceFile, path: readonly string[], context: CodeContext): unknown {
  const exported = file.exported();
  if (!exported) return undefined;
  const interpret: Scope['interpret'] = (node, inner) => interpretNode(node, inner, context, file);
  const budget = new Budget();
  const called = unwrap(exported);
  if (!isFunction(called)) return valueAt(called, path, { file, functions: [], interpret, budget }, 0);
  const returned = returnedExpression(called);
  if (!returned) throw new NotConstantError(file, called, 'does more than return a value');
  return valueAt(returned, path, { file, functions: [called], interpret, budget }, 0);
}

function valueAt(expression: Node, path: readonly string[], scope: Scope, step: number): unknown {
  const node = unwrap(expression);
  if (step > maxDepth) throw new NotConstantError(scope.file, node, 'refers to itself');
  scope.budget!.spend(1, scope, node);
  if (path.length === 0) return evaluate(node, scope);
  switch (node.type) {
    case 'ObjectExpression':
      return propertyAt(node, path, scope, step);
    case 'MemberExpression': {
      const key = node.computed ? String(evaluate(node.property, scope)) : propertyName(node);
      return valueAt(node.object, [key!, ...path], scope, step + 1);
    }
    case 'ConditionalExpression':
      return valueAt(evaluate(node.test, scope) ? node.consequent : node.alternate, path, scope, step + 1);
    case 'LogicalExpression': {
      const left = evaluate(node.left, scope);
      const isLeft = node.operator === '??' ? left != null : Boolean(left) === (node.operator === '||');
      return isLeft ? path.reduce(memberOf, left) : valueAt(node.right, path, scope, step + 1);
    }
    case 'Identifier': {
      const definition = definitionOf(node, scope);
      if (!definition) throw new NotConstantError(scope.file, node, `${node.name} is not a constant`);
      return valueAt(definition.node, [...definition.keys, ...path], definition.scope, step + 1);
    }
    default:
      return path.reduce(memberOf, evaluate(node, scope));
  }
}

/** Returns the value of the last property that has the path. A spread counts if it has it. */
function propertyAt(node: Node, path: readonly string[], scope: Scope, step: number): unknown {
  for (const property of (node.properties as Node[]).toReversed()) {
    if (property.type === 'SpreadElement') {
      const value = valueAt(property.argument, path, scope, step + 1);
      if (value !== undefined) return value;
    } else {
      const key = property.computed ? String(evaluate(property.key, scope)) : propertyName(property);
      if (key === path[0]) return valueAt(property.value, path.slice(1), scope, step + 1);
    }
  }
  return undefined;
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

type Evaluate = (part: Node) => unknown;

/**
 * Interprets what configurations use of Strapi and Node: `env`, `process`, `__dirname`, the module `path`, and files that are
 * read as text, such as certificates.
 */
function interpretNode(node: Node, inner: Evaluate, context: CodeContext, file: SourceFile): { value: unknown } | null {
  const { variables, folder, project } = context;
  const name = dottedName(node);
  if (name === '__dirname' || name === 'import.meta.dirname') return { value: folder };
  if (name === 'undefined') return { value: undefined };
  if (name?.startsWith('process.env.')) return { value: variables.get(name.slice('process.env.'.length)) };
  if (node.type !== 'CallExpression') return null;
  const callee = unwrap(node.callee);
  const called = dottedName(callee);
  if (called === null) return textMethod(callee, inner);
  const values = () => (node.arguments as Node[]).map(inner);
  if (called === 'process.cwd') return { value: project };
  // compiled code names the module `path_1` and its default export
  const method = /^(?:node_)?path(?:_\d+)?(?:\.default|\.posix)?\.(join|resolve)$/.exec(called)?.[1];
  if (method === 'join') return { value: join(...values().map(String)) };
  if (method === 'resolve') return { value: resolve(project, ...values().map(String)) };
  if (/^(?:(?:node_)?fs(?:_\d+)?(?:\.default)?\.)?readFileSync$/.test(called)) {
    const path = resolve(project, String(inner(node.arguments[0])));
    const text = textOfFile(path);
    if (text === null) throw new NotConstantError(file, node, `reads the file ${path}, which cannot be read`);
    return { value: text };
  }
  const reader = /^env(?:\.(\w+))?$/.exec(called);
  if (!reader || (reader[1] !== undefined && !Object.hasOwn(casts, reader[1]))) return textMethod(callee, inner);
  const written = variables.get(String(inner(node.arguments[0])));
  if (written === undefined) return { value: node.arguments[1] ? inner(node.arguments[1]) : undefined };
  return { value: reader[1] === undefined ? written : casts[reader[1] as keyof typeof casts](written) };
}

/** Returns the value of a call of `toString` or `trim` of a text, or null for any other call. */
function textMethod(callee: Node, inner: Evaluate): { value: string } | null {
  const method = callee.type === 'MemberExpression' ? propertyName(callee) : null;
  if (method !== 'toString' && method !== 'trim') return null;
  const value = inner(callee.object);
  if (typeof value !== 'string') return null;
  return { value: method === 'trim' ? value.trim() : value };
}

/** Maximum bytes of a file that a configuration reads. A bundle of certificates takes some 200,000. */
const maxFileBytes = 2 ** 19;

/** Returns null if the file cannot be read, is larger than certificates are, or is no file. */
function textOfFile(path: string): string | null {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= maxFileBytes ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

/** The casts of Strapi's `env`. */
const casts = {
  int: (text: string) => Number.parseInt(text, 10),
  float: (text: string) => Number.parseFloat(text),
  bool: (text: string) => text === 'true',
  array: (text: string) =>
    text
      .replace(/^\[(.*)\]$/s, '$1')
      .split(',')
      .map((item) => item.replace(/^ +| +$/g, '').replace(/^"+|"+$/g, '')),
};

/** Returns `a.b.c` for a chain of names, or null for any other expression. */
function dottedName(node: Node): string | null {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'MetaProperty') return 'import.meta';
  if (node.type === 'SequenceExpression') return dottedName(unwrap(node.expressions.at(-1)));
  if (node.type !== 'MemberExpression') return null;
  const object = dottedName(unwrap(node.object));
  const key = propertyName(node);
  return object === null || key === null ? null : `${object}.${key}`;
}

/** Where an expression is evaluated, how much of it, and what a name stands for there. */
import type { SourceFile } from './source-file.ts';
import { contains, declaredValue, findAll, type Node, propertyName, unwrap } from './syntax.ts';

/** An expression is not constant. The message describes `node`, the part that is not. */
export class NotConstantError extends Error {
  readonly file: SourceFile;
  readonly node: Node;

  constructor(file: SourceFile, node: Node, message: string) {
    super(message);
    this.file = file;
    this.node = node;
  }
}

/** The scope of an expression: its enclosing functions, innermost first, and variables with known values. */
export interface Scope {
  readonly file: SourceFile;
  readonly functions: readonly Node[];
  readonly known?: Readonly<Record<string, unknown>>;
  /** Returns the value of an expression that is no constant, such as a call of a known function. Null for others. */
  readonly interpret?: (node: Node, evaluate: (part: Node) => unknown) => { readonly value: unknown } | null;
  /** Steps that are left. By default each value has its own. */
  readonly budget?: Budget;
}

/** Bounds the time and size of a value: each line of code can double both. */
export class Budget {
  #left = maxSteps;

  /** Throws a NotConstantError that names the place if no steps are left. */
  spend(steps: number, { file }: Scope, node: Node): void {
    this.#left -= steps;
    if (this.#left < 0) throw new NotConstantError(file, node, `takes more than ${maxSteps} steps to evaluate`);
  }
}

/** Each part of an expression is a step, and so are 100 characters of a text. Configurations take some hundred. */
const maxSteps = 10_000;
export const charactersPerStep = 100;

/** The definition of a name: an expression, and for a destructured name the keys of its value inside. */
interface Definition {
  readonly node: Node;
  readonly scope: Scope;
  readonly keys: readonly string[];
}

/** Returns the definition of a name. Null for parameters, unknown names, and variables that the file mutates. */
export function definitionOf({ name }: Node, scope: Scope): Definition | null {
  const { file, functions } = scope;
  if (mutatedNames(file.program).has(name)) return null;
  for (const [index, enclosing] of functions.entries()) {
    const outer = { ...scope, functions: functions.slice(index) };
    const { body, params } = enclosing;
    const definition = body.type === 'BlockStatement' ? findDefinition(body.body, name, outer) : null;
    if (definition) return definition;
    if (params.some((parameter: Node) => contains(parameter, (node) => node.name === name))) return null;
  }
  return findDefinition(file.program.body, name, topLevel(file, scope));
}

function findDefinition(statements: readonly Node[], name: string, scope: Scope): Definition | null {
  for (const statement of statements) {
    if (statement.type === 'ImportDeclaration') {
      const specifier = statement.specifiers.find(({ local }: Node) => local.name === name);
      const source = specifier && scope.file.relative(statement.source.value);
      if (!source || specifier.type === 'ImportNamespaceSpecifier') continue;
      const exported = source.exported(
        specifier.type === 'ImportDefaultSpecifier' ? 'default' : specifier.imported.name,
      );
      if (exported) return { node: exported, scope: topLevel(source, scope), keys: [] };
      continue;
    }
    const declaration = statement.declaration ?? statement;
    const declared = declaredValue(declaration, name);
    if (declared) return { node: declared, scope, keys: [] };
    if (declaration.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declaration.declarations as Node[]) {
      if (id.type !== 'ObjectPattern' || !init) continue;
      const property = id.properties.find(({ value }: Node) => value?.type === 'Identifier' && value.name === name);
      if (property) return destructured(init, propertyName(property)!, scope);
    }
  }
  return null;
}

/** Returns the definition of a destructured key: an export for `require('./query')`, otherwise a key of the value. */
function destructured(init: Node, key: string, scope: Scope): Definition {
  const source = requiredFile(unwrap(init), scope);
  const exported = source?.exported(key);
  if (source && exported) return { node: exported, scope: topLevel(source, scope), keys: [] };
  return { node: init, scope, keys: [key] };
}

/** Returns the file of `require('./file')`, or null for any other node. */
export function requiredFile(node: Node, scope: Scope): SourceFile | null {
  if (node.type !== 'CallExpression' || node.callee.name !== 'require') return null;
  const [path] = node.arguments as Node[];
  return path?.type === 'Literal' ? scope.file.relative(String(path.value)) : null;
}

/** Returns the scope of the top level of a file. */
export function topLevel(file: SourceFile, { interpret, budget }: Scope): Scope {
  return { file, functions: [], interpret, budget };
}

const mutatingMethods = new Set(['push', 'unshift', 'splice', 'pop', 'shift', 'sort', 'reverse', 'fill']);

const known = new WeakMap<Node, ReadonlySet<string | null>>();

/** Returns the names of variables that are mutated anywhere in a file, by their values too. */
function mutatedNames(program: Node): ReadonlySet<string | null> {
  let names = known.get(program);
  if (!names) {
    names = new Set(findAll(program, () => true).map(mutatedName));
    known.set(program, names);
  }
  return names;
}

/** Returns the variable that a node mutates by assignment, `delete`, `Object.assign` or an array method, or null. */
function mutatedName(node: Node): string | null {
  switch (node.type) {
    case 'AssignmentExpression':
      return rootName(node.left);
    case 'UpdateExpression':
      return rootName(node.argument);
    case 'UnaryExpression':
      return node.operator === 'delete' ? rootName(node.argument) : null;
    case 'CallExpression': {
      const callee = unwrap(node.callee);
      if (callee.type !== 'MemberExpression') return null;
      const isAssign = callee.object.name === 'Object' && propertyName(callee) === 'assign';
      if (isAssign) return node.arguments.length > 0 ? rootName(node.arguments[0]) : null;
      return mutatingMethods.has(propertyName(callee) ?? '') ? rootName(callee.object) : null;
    }
    default:
      return null;
  }
}

/** Returns `a` for `a.b.c`, or null if the expression does not start with a name. */
function rootName(expression: Node): string | null {
  const node = unwrap(expression);
  if (node.type === 'MemberExpression') return rootName(node.object);
  return node.type === 'Identifier' ? node.name : null;
}

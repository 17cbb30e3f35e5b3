/** The values of expressions that can be known without running them. */
import type { SourceFile } from './source-file.ts';
import { bare, contains, declaredIn, isFunction, keyOf, type Node } from './syntax.ts';

/** Says that a value cannot be known, and which node is to blame. */
export class UnknownValue extends Error {
  readonly file: SourceFile;
  readonly node: Node;

  constructor(file: SourceFile, node: Node, what: string) {
    super(what);
    this.file = file;
    this.node = node;
  }
}

/** Where an expression stands: the functions around it, the inner ones first, and names whose values are known. */
export interface Scope {
  readonly file: SourceFile;
  readonly functions: readonly Node[];
  readonly known?: Readonly<Record<string, unknown>>;
}

/** How far names are followed; more leads in a circle. */
const maxDepth = 100;

/** The value of an expression, as JSON has it. Throws an UnknownValue. */
export function evaluate(expression: Node, scope: Scope, depth = 0): unknown {
  const node = bare(expression);
  const unknown = (what: string) => new UnknownValue(scope.file, node, what);
  if (depth > maxDepth) throw unknown('refers to itself');
  const inner = (part: Node) => evaluate(part, scope, depth + 1);
  switch (node.type) {
    case 'Literal':
      if (node.regex || typeof node.value === 'bigint') throw unknown('is no JSON');
      return node.value;
    case 'TemplateLiteral':
      return node.quasis.reduce(
        (text: string, { value }: Node, i: number) =>
          text + value.cooked + (node.expressions[i] ? inner(node.expressions[i]) : ''),
        '',
      );
    case 'UnaryExpression': {
      const value = inner(node.argument);
      if (node.operator === '-' && typeof value === 'number') return -value;
      if (node.operator === '!') return !value;
      throw unknown(`is computed (${node.operator})`);
    }
    case 'BinaryExpression': {
      const [left, right] = [inner(node.left), inner(node.right)];
      if (node.operator === '+' && typeof left === 'string' && typeof right === 'string') return left + right;
      throw unknown(`is computed (${node.operator})`);
    }
    case 'ArrayExpression':
      return node.elements.flatMap((element: Node | null) => {
        if (!element) throw unknown('has a hole');
        if (element.type !== 'SpreadElement') return [inner(element)];
        const spread = inner(element.argument);
        if (Array.isArray(spread)) return spread;
        throw unknown('spreads what is no list');
      });
    case 'ObjectExpression': {
      const object: Record<string, unknown> = {};
      for (const property of node.properties as Node[]) Object.assign(object, propertyOf(property, inner, scope));
      return object;
    }
    case 'MemberExpression': {
      const object = inner(node.object) as Record<string, unknown> | null;
      const name = node.computed ? String(inner(node.property)) : keyOf(node);
      if (typeof object === 'object' && object !== null && name !== null && Object.hasOwn(object, name))
        return object[name];
      throw unknown(`has no known ${name}`);
    }
    case 'Identifier':
      return evaluateName(node, scope, depth);
    case 'CallExpression':
      return evaluateCall(node, scope, depth);
    default:
      throw unknown('is computed when it runs');
  }
}

function propertyOf(property: Node, inner: (part: Node) => unknown, scope: Scope): Record<string, unknown> {
  if (property.type === 'SpreadElement') {
    const spread = inner(property.argument);
    if (typeof spread === 'object' && spread !== null) return spread as Record<string, unknown>;
    throw new UnknownValue(scope.file, property, 'spreads what is no object');
  }
  const name = property.computed ? String(inner(property.key)) : keyOf(property);
  if (property.kind !== 'init' || property.method || name === null || name === '__proto__') {
    throw new UnknownValue(scope.file, property, 'is no plain property');
  }
  return { [name]: inner(property.value) };
}

/** Where a name leads: to an expression, and for what is taken out of its value, to the keys there. */
interface Definition {
  readonly node: Node;
  readonly scope: Scope;
  readonly keys: readonly string[];
}

function evaluateName(node: Node, scope: Scope, depth: number): unknown {
  const { name } = node;
  if (scope.known && Object.hasOwn(scope.known, name)) return scope.known[name];
  const definition = definitionOf(node, scope);
  if (!definition) throw new UnknownValue(scope.file, node, `${name} is not known before it runs`);
  let value = evaluate(definition.node, definition.scope, depth + 1);
  for (const key of definition.keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      throw new UnknownValue(scope.file, node, `${name} is not known before it runs`);
    }
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The value of a function of the project for known arguments, if it does nothing but return it. */
function evaluateCall(node: Node, scope: Scope, depth: number): unknown {
  const source = requiredFile(node, scope);
  const exported = source?.exported();
  if (source && exported) return evaluate(exported, { file: source, functions: [] }, depth + 1);
  const callee = bare(node.callee);
  const definition = callee.type === 'Identifier' ? definitionOf(callee, scope) : null;
  const called = definition && definition.keys.length === 0 ? bare(definition.node) : null;
  const returned = called && isFunction(called) ? returnedBy(called) : null;
  if (!called || !returned) throw new UnknownValue(scope.file, node, 'is the result of a call');
  const known: Record<string, unknown> = {};
  const inside = { ...definition!.scope, functions: [called, ...definition!.scope.functions], known };
  for (const [index, parameter] of (called.params as Node[]).entries()) {
    const argument: Node | undefined = node.arguments[index];
    const name = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
    if (name.type !== 'Identifier') throw new UnknownValue(scope.file, node, 'is the result of a call');
    if (argument) known[name.name] = evaluate(argument, scope, depth + 1);
    else if (name !== parameter) known[name.name] = evaluate(parameter.right, inside, depth + 1);
  }
  return evaluate(returned, inside, depth + 1);
}

/** What a function returns, if it does nothing else than naming parts of it. */
export function returnedBy({ body, async: isAsync }: Node): Node | null {
  if (isAsync) return null;
  if (body.type !== 'BlockStatement') return bare(body);
  const others = (body.body as Node[]).slice(0, -1);
  const last = (body.body as Node[]).at(-1);
  const isPlain = others.every(({ type }) => type === 'VariableDeclaration' || type === 'FunctionDeclaration');
  return isPlain && last?.type === 'ReturnStatement' && last.argument ? bare(last.argument) : null;
}

/** Where a name is defined. Null for parameters, for what is not defined here, and for what is changed anywhere. */
export function definitionOf({ name }: Node, scope: Scope): Definition | null {
  const { file, functions } = scope;
  if (contains(file.program, (node) => changes(node, name))) return null;
  for (const [index, around] of functions.entries()) {
    const outer = { ...scope, functions: functions.slice(index) };
    const found = around.body.type === 'BlockStatement' ? definedIn(around.body.body, name, outer) : null;
    if (found) return found;
    if (around.params.some((parameter: Node) => contains(parameter, (node) => node.name === name))) return null;
  }
  return definedIn(file.program.body, name, { file, functions: [] });
}

function definedIn(statements: readonly Node[], name: string, scope: Scope): Definition | null {
  for (const statement of statements) {
    if (statement.type === 'ImportDeclaration') {
      const specifier = statement.specifiers.find(({ local }: Node) => local.name === name);
      const source = specifier && scope.file.relative(statement.source.value);
      if (!source || specifier.type === 'ImportNamespaceSpecifier') continue;
      const exported = source.exported(
        specifier.type === 'ImportDefaultSpecifier' ? 'default' : specifier.imported.name,
      );
      if (exported) return { node: exported, scope: { file: source, functions: [] }, keys: [] };
      continue;
    }
    const declaration = statement.declaration ?? statement;
    const declared = declaredIn(declaration, name);
    if (declared) return { node: declared, scope, keys: [] };
    if (declaration.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declaration.declarations as Node[]) {
      if (id.type !== 'ObjectPattern' || !init) continue;
      const property = id.properties.find(({ value }: Node) => value?.type === 'Identifier' && value.name === name);
      if (property) return fromPattern(init, keyOf(property)!, scope);
    }
  }
  return null;
}

/** `const { populate } = require('./query')` takes an export; of other objects, a key. */
function fromPattern(init: Node, key: string, scope: Scope): Definition {
  const source = requiredFile(bare(init), scope);
  const exported = source?.exported(key);
  if (source && exported) return { node: exported, scope: { file: source, functions: [] }, keys: [] };
  return { node: init, scope, keys: [key] };
}

/** The file that `require('./file')` names. */
function requiredFile(node: Node, scope: Scope): SourceFile | null {
  if (node.type !== 'CallExpression' || node.callee.name !== 'require') return null;
  const [path] = node.arguments as Node[];
  return path?.type === 'Literal' ? scope.file.relative(String(path.value)) : null;
}

const changingMethods = new Set(['push', 'unshift', 'splice', 'pop', 'shift', 'sort', 'reverse', 'fill']);

/** Whether a node changes the value of a name: by assigning to it or below it, or by a method that changes lists. */
function changes(node: Node, name: string): boolean {
  switch (node.type) {
    case 'AssignmentExpression':
      return rootName(node.left) === name;
    case 'UpdateExpression':
    case 'UnaryExpression':
      return (node.type === 'UpdateExpression' || node.operator === 'delete') && rootName(node.argument) === name;
    case 'CallExpression': {
      const callee = bare(node.callee);
      if (callee.type !== 'MemberExpression') return false;
      const isAssign = callee.object.name === 'Object' && keyOf(callee) === 'assign';
      if (isAssign) return node.arguments.length > 0 && rootName(node.arguments[0]) === name;
      return changingMethods.has(keyOf(callee) ?? '') && rootName(callee.object) === name;
    }
    default:
      return false;
  }
}

/** `a` of `a.b.c`. */
function rootName(expression: Node): string | null {
  const node = bare(expression);
  if (node.type === 'MemberExpression') return rootName(node.object);
  return node.type === 'Identifier' ? node.name : null;
}

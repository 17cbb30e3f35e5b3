/** Evaluates constant expressions without running code. */
import {
  Budget,
  charactersPerStep,
  definitionOf,
  NotConstantError,
  requiredFile,
  type Scope,
  topLevel,
} from './scope.ts';
import { isFunction, type Node, propertyName, unwrap } from './syntax.ts';

/** Maximum depth of evaluation. A constant that is nested deeper is taken to refer to itself. */
const maxDepth = 100;

/** Returns the value of an expression as plain JSON data. Throws a NotConstantError. */
export function evaluate(expression: Node, scope: Scope, depth = 0): unknown {
  const node = unwrap(expression);
  const { budget = new Budget() } = scope;
  const value = valueOfNode(node, scope.budget ? scope : { ...scope, budget }, depth);
  budget.spend(1 + (typeof value === 'string' ? value.length / charactersPerStep : 0), scope, node);
  return value;
}

function valueOfNode(node: Node, scope: Scope, depth: number): unknown {
  const fail = (message: string) => new NotConstantError(scope.file, node, message);
  if (depth > maxDepth) throw fail('refers to itself');
  const inner = (part: Node) => evaluate(part, scope, depth + 1);
  const interpreted = scope.interpret?.(node, inner);
  if (interpreted) return interpreted.value;
  switch (node.type) {
    case 'Literal':
      if (node.regex || typeof node.value === 'bigint') throw fail('is not JSON');
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
      throw fail(`is computed (${node.operator})`);
    }
    case 'BinaryExpression': {
      const [left, right] = [inner(node.left), inner(node.right)];
      if (node.operator === '+' && typeof left === 'string' && typeof right === 'string') return left + right;
      if (node.operator === '===') return left === right;
      if (node.operator === '!==') return left !== right;
      throw fail(`is computed (${node.operator})`);
    }
    case 'ConditionalExpression':
      return inner(inner(node.test) ? node.consequent : node.alternate);
    case 'LogicalExpression': {
      const left = inner(node.left);
      if (node.operator === '??') return left ?? inner(node.right);
      return node.operator === '||' ? left || inner(node.right) : left && inner(node.right);
    }
    case 'ArrayExpression':
      return node.elements.flatMap((element: Node | null) => itemsOf(element, inner, fail));
    case 'ObjectExpression': {
      const object: Record<string, unknown> = {};
      for (const property of node.properties as Node[]) Object.assign(object, propertyOf(property, inner, scope));
      return object;
    }
    case 'MemberExpression':
      return memberOf(node, inner, fail);
    case 'Identifier':
      return evaluateName(node, scope, depth);
    case 'CallExpression':
      return evaluateCall(node, scope, depth);
    default:
      throw fail('is computed at run time');
  }
}

type Inner = (part: Node) => unknown;
type Fail = (message: string) => NotConstantError;

/** Returns the items that an element of a list adds to it. */
function itemsOf(element: Node | null, inner: Inner, fail: Fail): unknown[] {
  if (!element) throw fail('has an empty item');
  if (element.type !== 'SpreadElement') return [inner(element)];
  const spread = inner(element.argument);
  if (Array.isArray(spread)) return spread;
  throw fail('spreads a value that is not a list');
}

/** Returns the value of `a.b` or `a[b]`. */
function memberOf(node: Node, inner: Inner, fail: Fail): unknown {
  const object = inner(node.object) as Record<string, unknown> | null;
  const name = node.computed ? String(inner(node.property)) : propertyName(node);
  if (typeof object === 'object' && object !== null && name !== null && Object.hasOwn(object, name)) {
    return object[name];
  }
  throw fail(`has no constant property ${name}`);
}

function propertyOf(property: Node, inner: (part: Node) => unknown, scope: Scope): Record<string, unknown> {
  if (property.type === 'SpreadElement') {
    const spread = inner(property.argument);
    if (typeof spread === 'object' && spread !== null) return spread as Record<string, unknown>;
    throw new NotConstantError(scope.file, property, 'spreads a value that is not an object');
  }
  const name = property.computed ? String(inner(property.key)) : propertyName(property);
  if (property.kind !== 'init' || property.method || name === null || name === '__proto__') {
    throw new NotConstantError(scope.file, property, 'is not a plain property');
  }
  return { [name]: inner(property.value) };
}

function evaluateName(node: Node, scope: Scope, depth: number): unknown {
  const { name } = node;
  if (scope.known && Object.hasOwn(scope.known, name)) {
    const value = scope.known[name];
    // is evaluated once, and may be used often
    scope.budget!.spend(itemCount(value), scope, node);
    return value;
  }
  const definition = definitionOf(node, scope);
  if (!definition) throw new NotConstantError(scope.file, node, `${name} is not a constant`);
  let value = evaluate(definition.node, definition.scope, depth + 1);
  for (const key of definition.keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      throw new NotConstantError(scope.file, node, `${name} is not a constant`);
    }
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Counts the values inside a list or an object. */
function itemCount(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((count: number, item) => count + 1 + itemCount(item), 0);
}

/** Evaluates a call of a function that only returns an expression, and of `require` with a relative path. */
function evaluateCall(node: Node, scope: Scope, depth: number): unknown {
  const source = requiredFile(node, scope);
  const exported = source?.exported();
  if (source && exported) return evaluate(exported, topLevel(source, scope), depth + 1);
  const callee = unwrap(node.callee);
  const definition = callee.type === 'Identifier' ? definitionOf(callee, scope) : null;
  const called = definition && definition.keys.length === 0 ? unwrap(definition.node) : null;
  const returned = called && isFunction(called) ? returnedExpression(called) : null;
  if (!called || !returned) throw new NotConstantError(scope.file, node, 'is the result of a call');
  const known: Record<string, unknown> = {};
  const inside = { ...definition!.scope, functions: [called, ...definition!.scope.functions], known };
  for (const [index, parameter] of (called.params as Node[]).entries()) {
    const argument: Node | undefined = node.arguments[index];
    const name = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
    if (name.type !== 'Identifier') throw new NotConstantError(scope.file, node, 'is the result of a call');
    if (argument) known[name.name] = evaluate(argument, scope, depth + 1);
    else if (name !== parameter) known[name.name] = evaluate(parameter.right, inside, depth + 1);
  }
  return evaluate(returned, inside, depth + 1);
}

/** Returns the expression that a function returns. Null if it is async or does more than declare constants. */
export function returnedExpression({ body, async: isAsync }: Node): Node | null {
  if (isAsync) return null;
  if (body.type !== 'BlockStatement') return unwrap(body);
  const others = (body.body as Node[]).slice(0, -1);
  const last = (body.body as Node[]).at(-1);
  const isPlain = others.every(({ type }) => type === 'VariableDeclaration' || type === 'FunctionDeclaration');
  return isPlain && last?.type === 'ReturnStatement' && last.argument ? unwrap(last.argument) : null;
}

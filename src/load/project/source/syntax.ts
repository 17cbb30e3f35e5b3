/** Parses JavaScript and TypeScript without running it, and searches the syntax tree. */
import { tsPlugin } from '@sveltejs/acorn-typescript';
import { type Options, Parser, type Program } from 'acorn';

/** A node of the syntax tree. */
export interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number } };
  // biome-ignore lint/suspicious/noExplicitAny: the parts of a node depend on its type
  readonly [part: string]: any;
}

/** Expressions of TypeScript that do not change the value inside. */
const typeWrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion']);

/** Returns the expression inside types, parentheses, optional chains and `await`. */
export function unwrap(node: Node): Node {
  if (typeWrappers.has(node.type) || node.type === 'ParenthesizedExpression') return unwrap(node.expression);
  if (node.type === 'ChainExpression') return unwrap(node.expression);
  return node.type === 'AwaitExpression' ? unwrap(node.argument) : node;
}

export function isFunction(node: Node | null | undefined): node is Node {
  return node != null && /^(ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(node.type);
}

/** Returns the name of a property or member, or null if it is computed or a spread. */
export function propertyName({ key, property, computed }: Node): string | null {
  const name: Node | undefined = key ?? property;
  if (!name) return null;
  if (!computed && name.type === 'Identifier') return name.name;
  return name.type === 'Literal' ? String(name.value) : null;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((part): part is Node => typeof part === 'object' && part !== null && typeof part.type === 'string');
}

/** Returns the first node of a tree that passes a test, or null. Includes the root and nested functions. */
export function find(node: Node, test: (node: Node) => boolean): Node | null {
  if (test(node)) return node;
  for (const child of childrenOf(node)) {
    const match = find(child, test);
    if (match) return match;
  }
  return null;
}

/** Returns all nodes of a tree that pass a test, in source order. */
export function findAll(node: Node, test: (node: Node) => boolean): Node[] {
  const matches = childrenOf(node).flatMap((child) => findAll(child, test));
  return test(node) ? [node, ...matches] : matches;
}

export function contains(node: Node, test: (node: Node) => boolean): boolean {
  return find(node, test) !== null;
}

/** An assignment whose sides are unwrapped. */
export interface Assignment {
  readonly left: Node;
  readonly right: Node;
  readonly operator: string;
}

/** Returns the assignment of a statement, or null for any other statement. */
export function assignmentOf(statement: Node): Assignment | null {
  if (statement.type !== 'ExpressionStatement') return null;
  const expression = unwrap(statement.expression);
  if (expression.type !== 'AssignmentExpression') return null;
  return { left: unwrap(expression.left), right: unwrap(expression.right), operator: expression.operator };
}

/** Returns the expression or function that a statement declares under a name, or null. */
export function declaredValue(statement: Node, name: string): Node | null {
  if (statement.type === 'FunctionDeclaration') return statement.id?.name === name ? statement : null;
  if (statement.type !== 'VariableDeclaration') return null;
  const declarator = statement.declarations.find(({ id }: Node) => id.type === 'Identifier' && id.name === name);
  return declarator?.init ?? null;
}

/** Returns the statements of a function. Replaces blocks and `try` by their statements. */
export function statementsOf({ body }: Node): readonly Node[] {
  if (body.type !== 'BlockStatement') return [{ type: 'ReturnStatement', argument: body, loc: body.loc }];
  return flatten(body.body);
}

function flatten(statements: readonly Node[]): Node[] {
  return statements.flatMap((statement) => {
    if (statement.type === 'BlockStatement') return flatten(statement.body);
    return statement.type === 'TryStatement' ? flatten(statement.block.body) : [statement];
  });
}

/** Whether an object is `console` or a property `log`, whose methods change nothing. */
export function isLogger(object: Node): boolean {
  return object.name === 'console' || (object.type === 'MemberExpression' && propertyName(object) === 'log');
}

/** A position in a file. Both numbers start at one. */
interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** A file is not valid JavaScript or TypeScript. */
export class SourceError extends Error {
  readonly position: SourcePosition;

  constructor(message: string, position: SourcePosition) {
    super(message);
    this.position = position;
  }
}

const typescriptParser = Parser.extend(tsPlugin());
const options: Options = { ecmaVersion: 'latest', locations: true, allowHashBang: true };

/** Parses a module or, if that fails, a script. Throws a SourceError. */
export function parseSource(text: string, isTypescript: boolean): Program {
  const parser = isTypescript ? typescriptParser : Parser;
  try {
    return parser.parse(text, { ...options, sourceType: 'module' });
  } catch (error) {
    try {
      return parser.parse(text, { ...options, sourceType: 'script', allowReturnOutsideFunction: true });
    } catch {
      throw sourceError(error);
    }
  }
}

/** Converts an error of acorn to a SourceError. Returns any other value unchanged. */
function sourceError(error: unknown): unknown {
  if (!(error instanceof SyntaxError) || !('loc' in error)) return error;
  const { line, column } = error.loc as { line: number; column: number };
  return new SourceError(error.message.replace(/ \(\d+:\d+\)$/, ''), { line, column: column + 1 });
}

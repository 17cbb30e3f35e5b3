/** The syntax tree of JavaScript and TypeScript, and ways to look into it. */

/** A node of the syntax tree, of JavaScript or TypeScript. */
export interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number } };
  // biome-ignore lint/suspicious/noExplicitAny: the parts of a node depend on its type
  readonly [part: string]: any;
}

/** Wrappers of TypeScript that change no value. */
const typeWrappers = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion']);

/** The expression without types, parentheses and `await` around it. */
export function bare(node: Node): Node {
  if (typeWrappers.has(node.type) || node.type === 'ParenthesizedExpression') return bare(node.expression);
  if (node.type === 'ChainExpression') return bare(node.expression);
  return node.type === 'AwaitExpression' ? bare(node.argument) : node;
}

export function isFunction(node: Node | null | undefined): node is Node {
  return node != null && /^(ArrowFunctionExpression|FunctionExpression|FunctionDeclaration)$/.test(node.type);
}

/** The name of a property or a member, where it is written out. Null for a spread. */
export function keyOf({ key, property, computed }: Node): string | null {
  const name: Node | undefined = key ?? property;
  if (!name) return null;
  if (!computed && name.type === 'Identifier') return name.name;
  return name.type === 'Literal' ? String(name.value) : null;
}

/** The nodes directly below a node. */
export function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((part): part is Node => typeof part === 'object' && part !== null && typeof part.type === 'string');
}

/** Whether a node, or one below it, passes a test. Nested functions count. */
export function contains(node: Node, test: (node: Node) => boolean): boolean {
  return test(node) || childrenOf(node).some((part) => contains(part, test));
}

/** The sides of a statement that assigns. */
export function assignmentOf(statement: Node): { left: Node; right: Node; operator: string } | null {
  if (statement.type !== 'ExpressionStatement') return null;
  const expression = bare(statement.expression);
  if (expression.type !== 'AssignmentExpression') return null;
  return { left: bare(expression.left), right: bare(expression.right), operator: expression.operator };
}

/** The value that a declaration gives a name: an expression, or a function. */
export function declaredIn(statement: Node, name: string): Node | null {
  if (statement.type === 'FunctionDeclaration') return statement.id?.name === name ? statement : null;
  if (statement.type !== 'VariableDeclaration') return null;
  const found = statement.declarations.find(({ id }: Node) => id.type === 'Identifier' && id.name === name);
  return found?.init ?? null;
}

/** The statements of a function, those of a block or a `try` as its own. */
export function statementsOf({ body }: Node): readonly Node[] {
  if (body.type !== 'BlockStatement') return [{ type: 'ReturnStatement', argument: body, loc: body.loc }];
  return flattened(body.body);
}

function flattened(statements: readonly Node[]): Node[] {
  return statements.flatMap((statement) => {
    if (statement.type === 'BlockStatement') return flattened(statement.body);
    return statement.type === 'TryStatement' ? flattened(statement.block.body) : [statement];
  });
}

/** The first node that passes a test. */
export function found(node: Node, test: (node: Node) => boolean): Node | null {
  if (test(node)) return node;
  for (const part of childrenOf(node)) {
    const inside = found(part, test);
    if (inside) return inside;
  }
  return null;
}

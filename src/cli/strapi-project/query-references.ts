/** Recognises the query of a request in the code of a middleware or an action. */
import { contains, isLogger, type Node, propertyName, unwrap } from '../../load/project/source/syntax.ts';

/** Whether a node passes the request to the next middleware or to the core action. */
export type Continuation = (node: Node) => boolean;

export class QueryReferences {
  /** The name of the parameter that is the request's context. */
  readonly context: string;
  readonly #isContinuation: Continuation;
  /** Variables whose value is `ctx.query`. */
  readonly #aliases = new Set<string>();

  /** The first parameter of the function is the context. */
  constructor({ params }: Node, isContinuation: Continuation) {
    const [parameter] = params as Node[];
    this.context = parameter?.type === 'Identifier' ? parameter.name : 'ctx';
    this.#isContinuation = isContinuation;
  }

  /** Records the variable of `const { query } = ctx` or `const query = ctx.query`. Returns false for other code. */
  addAlias({ id, init }: Node): boolean {
    if (id.type === 'Identifier' && this.isQuery(init)) {
      this.#aliases.add(id.name);
      return true;
    }
    if (id.type !== 'ObjectPattern' || unwrap(init).name !== this.context) return false;
    const property = id.properties.find(
      (each: Node) => propertyName(each) === 'query' && each.value?.type === 'Identifier',
    );
    if (property) this.#aliases.add(property.value.name);
    return true;
  }

  /** Whether an expression is `ctx.query`, `ctx.request.query` or an alias. */
  isQuery(expression: Node): boolean {
    const node = unwrap(expression);
    if (node.type === 'Identifier') return this.#aliases.has(node.name);
    if (node.type !== 'MemberExpression' || propertyName(node) !== 'query') return false;
    const object = unwrap(node.object);
    const holder =
      object.type === 'MemberExpression' && propertyName(object) === 'request' ? unwrap(object.object) : object;
    return holder.name === this.context;
  }

  /** Whether an expression is the query or any part of it. */
  isInQuery(node: Node): boolean {
    if (this.isQuery(node)) return true;
    return node.type === 'MemberExpression' && this.isInQuery(unwrap(node.object));
  }

  /** Returns `populate` for `ctx.query.populate`, and null for any other expression. */
  parameterOf(node: Node): string | null {
    return node.type === 'MemberExpression' && this.isQuery(node.object) ? propertyName(node) : null;
  }

  /** Returns the parameter that a condition tests to be missing, such as `!ctx.query.populate`, or null. */
  missingParameter(test: Node): string | null {
    if (test.type === 'UnaryExpression' && test.operator === '!') return this.parameterOf(unwrap(test.argument));
    if (test.type !== 'BinaryExpression' || !/^===?$/.test(test.operator)) return null;
    const { right } = test;
    return right.name === 'undefined' || (right.type === 'Literal' && right.value === null)
      ? this.parameterOf(unwrap(test.left))
      : null;
  }

  /** Whether code may change the query: by assignment, by `delete`, or by a call that gets the query or the context. */
  mayChange(node: Node): boolean {
    return contains(node, (part) => {
      if (part.type === 'AssignmentExpression') return this.isInQuery(unwrap(part.left));
      if (part.type === 'UnaryExpression' && part.operator === 'delete') return this.isInQuery(unwrap(part.argument));
      if (part.type !== 'CallExpression' || isReadOnlyCall(part) || this.#isContinuation(part)) return false;
      return part.arguments.some((argument: Node) => unwrap(argument).name === this.context || this.isQuery(argument));
    });
  }
}

/** Whether a call is known not to change its arguments. */
function isReadOnlyCall({ callee }: Node): boolean {
  const called = unwrap(callee);
  if (called.type !== 'MemberExpression') return false;
  const object = unwrap(called.object);
  const name = propertyName(called) ?? '';
  if (object.type === 'ThisExpression') return /^(validate|sanitize|transform)/.test(name);
  if (object.name === 'Object') return /^(keys|values|entries)$/.test(name);
  return isLogger(object) || object.name === 'JSON';
}

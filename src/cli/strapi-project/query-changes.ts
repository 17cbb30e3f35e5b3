/** What a middleware or a controller's action does to the query of a request, before the action runs. */
import { dialectFor } from '../../base/dialect.ts';
import { queryPolicies } from '../../query/dialects.ts';
import { evaluate, type Scope, UnknownValue } from './constants.ts';
import { assignmentOf, bare, childrenOf, contains, found, keyOf, type Node, statementsOf } from './syntax.ts';

/** Parameters that are added, in the form of the setting `routes`. */
export interface AddedQuery {
  readonly default: Record<string, unknown>;
  readonly set: Record<string, unknown>;
}

/** One parameter that is changed. */
interface Change {
  readonly part: 'default' | 'set';
  readonly name: string;
  readonly value: unknown;
}

const known = queryPolicies(dialectFor('strapi', null)).request.parameters;

export function noQuery(): AddedQuery {
  return { default: {}, set: {} };
}

/** Adds a change to those before it: what is set is no longer lacking. */
function apply(added: AddedQuery, { part, name, value }: Change): void {
  if (part === 'set') {
    delete added.default[name];
    added.set[name] = value;
  } else if (!(name in added.set) && !(name in added.default)) added.default[name] = value;
}

/** Reads the body of one function and notes what cannot be read. */
export class QueryChanges {
  readonly #scope: Scope;
  readonly #added: AddedQuery;
  /** The parameter that is the request's context. */
  readonly #context: string;
  /** Names that stand for `ctx.query`. */
  readonly #aliases = new Set<string>();
  /** Whether a node hands the request on, to the next middleware or to the core action. */
  readonly #handsOn: (node: Node) => boolean;
  /** From here on only some requests go on. */
  #isPartial = false;

  /** Changes are added to `added`. The first of `scope.functions` is the one that is read. */
  constructor(scope: Scope, added: AddedQuery, handsOn: (node: Node) => boolean) {
    this.#scope = scope;
    this.#added = added;
    this.#handsOn = handsOn;
    const [parameter] = scope.functions[0].params as Node[];
    this.#context = parameter?.type === 'Identifier' ? parameter.name : 'ctx';
  }

  /** Reads statements up to the one that hands the request on. Returns that one and those that follow it. */
  read(): readonly Node[] {
    const statements = statementsOf(this.#scope.functions[0]);
    for (const [index, statement] of statements.entries()) {
      if (statement.type !== 'IfStatement' && contains(statement, this.#handsOn)) {
        this.#handingOn(statement);
        return statements.slice(index);
      }
      this.#statement(statement);
    }
    return [];
  }

  /** `super.find({ ...ctx, query: { ...ctx.query, populate } })` hands on another query. */
  #handingOn(statement: Node): void {
    const call = found(statement, this.#handsOn)!;
    const [argument] = call.arguments as Node[];
    const given = argument && bare(argument);
    const query = given?.type === 'ObjectExpression' && given.properties.find((each: Node) => keyOf(each) === 'query');
    if (query?.value && bare(query.value).type === 'ObjectExpression') this.#wholeQuery(query, bare(query.value));
    else if (given && given.name !== this.#context) this.#unread(statement, 'hands on a request that cannot be read');
    if (this.#touches(statement)) this.#unread(statement, 'changes the query in a way that cannot be read');
  }

  #statement(statement: Node): void {
    const assignment = assignmentOf(statement);
    if (assignment && this.#isContextual(assignment.left)) return this.#assignment(statement, assignment);
    switch (statement.type) {
      case 'VariableDeclaration':
        return this.#declaration(statement);
      case 'IfStatement':
        return this.#condition(statement);
      case 'BlockStatement':
        for (const each of statement.body) this.#statement(each);
        return;
      default:
        if (this.#touches(statement)) this.#unread(statement, 'changes the query in a way that cannot be read');
    }
  }

  /** `const { query } = ctx` and `const query = ctx.query` give the query another name. */
  #declaration(statement: Node): void {
    for (const { id, init } of statement.declarations as Node[]) {
      if (!init) continue;
      if (id.type === 'Identifier' && this.#isQuery(init)) this.#aliases.add(id.name);
      else if (id.type === 'ObjectPattern' && bare(init).name === this.#context) {
        const property = id.properties.find(
          (each: Node) => keyOf(each) === 'query' && each.value?.type === 'Identifier',
        );
        if (property) this.#aliases.add(property.value.name);
      } else if (this.#touches(init)) this.#unread(statement, 'changes the query in a way that cannot be read');
    }
  }

  /** `if (!ctx.query.populate) ctx.query.populate = …` is a default; under other conditions nothing is known. */
  #condition(statement: Node): void {
    const { test, consequent, alternate } = statement;
    const lacking = this.#lackingParameter(bare(test));
    const inside: readonly Node[] = consequent.type === 'BlockStatement' ? consequent.body : [consequent];
    if (lacking !== null && !alternate) {
      const others = inside.filter((each) => this.#touches(each));
      const [only] = others;
      const assignment = others.length === 1 && only ? assignmentOf(only) : null;
      if (assignment?.operator === '=' && this.#parameterOf(assignment.left) === lacking) {
        return this.#change(only, 'default', lacking, assignment.right);
      }
    }
    if (this.#touches(statement)) return this.#unread(statement, 'changes the query under a condition');
    if (contains(statement, ({ type }) => type === 'ReturnStatement') && !this.#onlyRefuses(statement))
      this.#isPartial = true;
  }

  /** A refusal such as `return ctx.unauthorized()` leaves the query of other requests alone. */
  #onlyRefuses(statement: Node): boolean {
    const returns: Node[] = [];
    const collect = (node: Node) => {
      if (node.type === 'ReturnStatement') returns.push(node);
      for (const part of childrenOf(node)) collect(part);
    };
    collect(statement);
    return returns.every(({ argument }) => {
      const call = argument && bare(argument);
      return call?.type === 'CallExpression' && bare(call.callee).object?.name === this.#context;
    });
  }

  #assignment(statement: Node, { left, right, operator }: { left: Node; right: Node; operator: string }): void {
    if (this.#isQuery(left)) {
      if (operator === '=' && right.type === 'ObjectExpression') return this.#wholeQuery(statement, right);
      return this.#unread(statement, 'replaces the query by what cannot be read');
    }
    const name = this.#parameterOf(left);
    if (name === null) {
      if (this.#touches(statement)) this.#unread(statement, 'changes a part of a parameter; this needs a query hook');
      return;
    }
    if (operator === '||=' || operator === '??=') return this.#change(statement, 'default', name, right);
    if (operator !== '=') return this.#unread(statement, `changes ${name} in a way that cannot be read`);
    const isFallback = right.type === 'LogicalExpression' && (right.operator === '||' || right.operator === '??');
    if (isFallback && this.#parameterOf(bare(right.left)) === name) {
      return this.#change(statement, 'default', name, bare(right.right));
    }
    this.#change(statement, 'set', name, right);
  }

  /** `{ populate, ...ctx.query }` gives a default, `{ ...ctx.query, populate }` sets. */
  #wholeQuery(statement: Node, object: Node): void {
    const properties = object.properties as Node[];
    const own = properties.findIndex((each) => each.type === 'SpreadElement' && this.#isQuery(each.argument));
    if (own < 0)
      return this.#unread(statement, 'replaces the whole query; write what clients may still send in a query hook');
    // of two properties with one name before the query, the later counts
    for (const property of [...properties.slice(0, own).reverse(), ...properties.slice(own + 1)]) {
      const part = properties.indexOf(property) < own ? 'default' : 'set';
      if (property.type !== 'SpreadElement') {
        const name = keyOf(property);
        if (name === null) this.#unread(property, 'gives a parameter a computed name');
        else this.#change(property, part, name, bare(property.value));
        continue;
      }
      const spread = this.#value(property, property.argument, 'the parameters');
      if (typeof spread?.value !== 'object' || spread.value === null) continue;
      for (const [name, value] of Object.entries(spread.value)) this.#add(property, { part, name, value });
    }
  }

  #change(at: Node, part: Change['part'], name: string, expression: Node): void {
    if (contains(expression, (node) => this.#isQuery(node) || this.#parameterOf(node) !== null)) {
      return this.#unread(at, `makes ${name} out of the query; this needs a query hook`);
    }
    const read = this.#value(at, expression, name);
    if (read) this.#add(at, { part, name, value: read.value });
  }

  #add(at: Node, change: Change): void {
    if (this.#isPartial) return this.#unread(at, `changes ${change.name} for some requests only`);
    if (!known.has(change.name)) return this.#unread(at, `gives ${change.name}, which is no parameter of the API`);
    apply(this.#added, change);
  }

  #value(at: Node, expression: Node, what: string): { value: unknown } | null {
    try {
      return { value: evaluate(expression, this.#scope) };
    } catch (error) {
      if (!(error instanceof UnknownValue)) throw error;
      const { file, node } = error;
      const place = file === this.#scope.file ? '' : ` in ${file.name}`;
      this.#unread(
        at,
        `gives ${what} a value that cannot be read: line ${node.loc.start.line}${place} ${error.message}`,
      );
      return null;
    }
  }

  /** The parameter that a condition finds missing: `!ctx.query.populate`, `ctx.query.populate === undefined`. */
  #lackingParameter(test: Node): string | null {
    if (test.type === 'UnaryExpression' && test.operator === '!') return this.#parameterOf(bare(test.argument));
    if (test.type !== 'BinaryExpression' || !/^===?$/.test(test.operator)) return null;
    const { right } = test;
    return right.name === 'undefined' || (right.type === 'Literal' && right.value === null)
      ? this.#parameterOf(bare(test.left))
      : null;
  }

  /** Whether it may change the query: it assigns there, or gives it or the context to a function. */
  #touches(node: Node): boolean {
    return contains(node, (part) => {
      if (part.type === 'AssignmentExpression') return this.#isContextual(bare(part.left));
      if (part.type === 'UnaryExpression' && part.operator === 'delete') return this.#isContextual(bare(part.argument));
      if (part.type !== 'CallExpression' || isHarmless(part) || this.#handsOn(part)) return false;
      return part.arguments.some((argument: Node) => bare(argument).name === this.#context || this.#isQuery(argument));
    });
  }

  /** Whether it is the query or a part of it. */
  #isContextual(node: Node): boolean {
    if (this.#isQuery(node)) return true;
    return node.type === 'MemberExpression' && this.#isContextual(bare(node.object));
  }

  /** `ctx.query`, `ctx.request.query`, or another name of it. */
  #isQuery(expression: Node): boolean {
    const node = bare(expression);
    if (node.type === 'Identifier') return this.#aliases.has(node.name);
    if (node.type !== 'MemberExpression' || keyOf(node) !== 'query') return false;
    const object = bare(node.object);
    const holder = object.type === 'MemberExpression' && keyOf(object) === 'request' ? bare(object.object) : object;
    return holder.name === this.#context;
  }

  /** `populate` of `ctx.query.populate`. */
  #parameterOf(node: Node): string | null {
    return node.type === 'MemberExpression' && this.#isQuery(node.object) ? keyOf(node) : null;
  }

  #unread(node: Node, what: string): void {
    this.#scope.file.unread(node, what);
  }
}

/** Calls that get the context or the query and are known to leave it alone. */
function isHarmless({ callee }: Node): boolean {
  const called = bare(callee);
  if (called.type !== 'MemberExpression') return false;
  const object = bare(called.object);
  const name = keyOf(called) ?? '';
  if (object.type === 'ThisExpression') return /^(validate|sanitize|transform)/.test(name);
  const isLog = object.name === 'console' || (object.type === 'MemberExpression' && keyOf(object) === 'log');
  return isLog || object.name === 'JSON' || (object.name === 'Object' && /^(keys|values|entries)$/.test(name));
}

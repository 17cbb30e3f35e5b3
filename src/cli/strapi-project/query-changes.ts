/** Reads how a middleware or an action of a controller changes the query of a request before it passes it on. */
import { dialectFor } from '../../core/dialect.ts';
import { evaluate } from '../../load/project/source/evaluate.ts';
import { NotConstantError, type Scope } from '../../load/project/source/scope.ts';
import {
  type Assignment,
  assignmentOf,
  contains,
  find,
  findAll,
  type Node,
  propertyName,
  statementsOf,
  unwrap,
} from '../../load/project/source/syntax.ts';
import { queryPolicies } from '../../query/dialects.ts';
import { type Continuation, QueryReferences } from './query-references.ts';

/** Parameters to add to one route, in the form of the setting `routes`. */
export interface AddedParameters {
  readonly default: Record<string, unknown>;
  readonly set: Record<string, unknown>;
}

/** A change of one parameter. */
interface Change {
  readonly part: 'default' | 'set';
  readonly name: string;
  readonly value: unknown;
}

const knownParameters = queryPolicies(dialectFor('strapi', null)).request.parameters;

const unrecognised = 'changes the query in a way that is not recognised';

export function noParameters(): AddedParameters {
  return { default: {}, set: {} };
}

/** Applies a change after earlier ones. A parameter that is set no longer has a default. */
function apply(added: AddedParameters, { part, name, value }: Change): void {
  if (part === 'set') {
    delete added.default[name];
    added.set[name] = value;
  } else if (!(name in added.set) && !(name in added.default)) added.default[name] = value;
}

/** Reads the body of one function. Reports code that it does not recognise. */
export class QueryChanges {
  readonly #scope: Scope;
  readonly #added: AddedParameters;
  readonly #references: QueryReferences;
  readonly #isContinuation: Continuation;
  /** Whether an earlier statement ends the function for some requests. */
  #isPartial = false;

  /** Reads the first of `scope.functions`. Applies the changes to `added`. */
  constructor(scope: Scope, added: AddedParameters, isContinuation: Continuation) {
    this.#scope = scope;
    this.#added = added;
    this.#references = new QueryReferences(scope.functions[0], isContinuation);
    this.#isContinuation = isContinuation;
  }

  /** Reads the statements before the continuation. Returns the statement with the continuation and all after it. */
  read(): readonly Node[] {
    const statements = statementsOf(this.#scope.functions[0]);
    for (const [index, statement] of statements.entries()) {
      if (statement.type !== 'IfStatement' && contains(statement, this.#isContinuation)) {
        this.#readContinuation(statement);
        return statements.slice(index);
      }
      this.#readStatement(statement);
    }
    return [];
  }

  /** Reads the query that `super.find({ ...ctx, query: { ...ctx.query, populate } })` passes on. */
  #readContinuation(statement: Node): void {
    const call = find(statement, this.#isContinuation)!;
    const [argument] = call.arguments as Node[];
    const passed = argument && unwrap(argument);
    const properties: Node[] = passed?.type === 'ObjectExpression' ? passed.properties : [];
    const query = properties.find((each) => propertyName(each) === 'query');
    if (query?.value && unwrap(query.value).type === 'ObjectExpression') this.#readQuery(query, unwrap(query.value));
    else if (passed && passed.name !== this.#references.context)
      this.#report(statement, 'passes on a request in a way that is not recognised');
    if (this.#references.mayChange(statement)) this.#report(statement, unrecognised);
  }

  #readStatement(statement: Node): void {
    const assignment = assignmentOf(statement);
    if (assignment && this.#references.isInQuery(assignment.left)) return this.#readAssignment(statement, assignment);
    switch (statement.type) {
      case 'VariableDeclaration':
        for (const declarator of statement.declarations as Node[]) {
          if (!declarator.init || this.#references.addAlias(declarator)) continue;
          if (this.#references.mayChange(declarator.init)) this.#report(statement, unrecognised);
        }
        return;
      case 'IfStatement':
        return this.#readCondition(statement);
      case 'BlockStatement':
        for (const each of statement.body) this.#readStatement(each);
        return;
      default:
        if (this.#references.mayChange(statement)) this.#report(statement, unrecognised);
    }
  }

  /** Reads `if (!ctx.query.populate) ctx.query.populate = …` as a default. Reports changes under other conditions. */
  #readCondition(statement: Node): void {
    const { test, consequent, alternate } = statement;
    const missing = this.#references.missingParameter(unwrap(test));
    const body: readonly Node[] = consequent.type === 'BlockStatement' ? consequent.body : [consequent];
    if (missing !== null && !alternate) {
      const changes = body.filter((each) => this.#references.mayChange(each));
      const [only] = changes;
      const assignment = changes.length === 1 && only ? assignmentOf(only) : null;
      if (assignment?.operator === '=' && this.#references.parameterOf(assignment.left) === missing) {
        return this.#addExpression(only, 'default', missing, assignment.right);
      }
    }
    if (this.#references.mayChange(statement)) return this.#report(statement, 'changes the query conditionally');
    const returns = findAll(statement, ({ type }) => type === 'ReturnStatement');
    if (!returns.every((each) => this.#isRejection(each))) this.#isPartial = true;
  }

  /** Whether a statement rejects the request, such as `return ctx.unauthorized()`. Other requests are not affected. */
  #isRejection({ argument }: Node): boolean {
    const call = argument && unwrap(argument);
    return call?.type === 'CallExpression' && unwrap(call.callee).object?.name === this.#references.context;
  }

  #readAssignment(statement: Node, { left, right, operator }: Assignment): void {
    if (this.#references.isQuery(left)) {
      if (operator === '=' && right.type === 'ObjectExpression') return this.#readQuery(statement, right);
      return this.#report(statement, 'replaces the query with a value that is not constant');
    }
    const name = this.#references.parameterOf(left);
    if (name === null) return this.#report(statement, 'changes part of a parameter; use a query hook');
    if (operator === '||=' || operator === '??=') return this.#addExpression(statement, 'default', name, right);
    if (operator !== '=') return this.#report(statement, `changes ${name} in a way that is not recognised`);
    const isFallback = right.type === 'LogicalExpression' && (right.operator === '||' || right.operator === '??');
    if (isFallback && this.#references.parameterOf(unwrap(right.left)) === name) {
      return this.#addExpression(statement, 'default', name, unwrap(right.right));
    }
    this.#addExpression(statement, 'set', name, right);
  }

  /** Reads `{ populate, ...ctx.query }` as a default and `{ ...ctx.query, populate }` as a set parameter. */
  #readQuery(statement: Node, object: Node): void {
    const properties = object.properties as Node[];
    const spread = properties.findIndex(
      (each) => each.type === 'SpreadElement' && this.#references.isQuery(each.argument),
    );
    if (spread < 0) return this.#report(statement, 'replaces the whole query; use a query hook');
    // among defaults with the same name, the last one takes effect
    for (const property of [...properties.slice(0, spread).reverse(), ...properties.slice(spread + 1)]) {
      const part = properties.indexOf(property) < spread ? 'default' : 'set';
      if (property.type !== 'SpreadElement') {
        const name = propertyName(property);
        if (name === null) this.#report(property, 'sets a parameter with a computed name');
        else this.#addExpression(property, part, name, unwrap(property.value));
        continue;
      }
      const parameters = this.#evaluate(property, property.argument, 'the parameters');
      if (typeof parameters?.value !== 'object' || parameters.value === null) continue;
      for (const [name, value] of Object.entries(parameters.value)) this.#add(property, { part, name, value });
    }
  }

  #addExpression(at: Node, part: Change['part'], name: string, expression: Node): void {
    if (contains(expression, (node) => this.#references.isQuery(node))) {
      return this.#report(at, `computes ${name} from the query; use a query hook`);
    }
    const result = this.#evaluate(at, expression, name);
    if (result) this.#add(at, { part, name, value: result.value });
  }

  #add(at: Node, change: Change): void {
    if (this.#isPartial) return this.#report(at, `changes ${change.name} only for some requests`);
    if (!knownParameters.has(change.name)) {
      return this.#report(at, `sets ${change.name}, which is not a parameter of the API`);
    }
    apply(this.#added, change);
  }

  /** Returns the value of a constant expression. Reports any other expression and returns null. */
  #evaluate(at: Node, expression: Node, name: string): { value: unknown } | null {
    try {
      return { value: evaluate(expression, this.#scope) };
    } catch (error) {
      if (!(error instanceof NotConstantError)) throw error;
      const { file, node } = error;
      const { line } = node.loc.start;
      const location = file === this.#scope.file ? `line ${line}` : `${file.name}:${line}`;
      this.#report(at, `sets ${name} to a value that is not constant (${location}: ${error.message})`);
      return null;
    }
  }

  #report(node: Node, message: string): void {
    this.#scope.file.report(node, message);
  }
}

/** Reads controllers that extend the core actions `find` and `findOne`. */
import { returnedExpression } from '../../load/project/source/evaluate.ts';
import type { Scope } from '../../load/project/source/scope.ts';
import type { SourceFile } from '../../load/project/source/source-file.ts';
import { contains, isFunction, isLogger, type Node, propertyName, unwrap } from '../../load/project/source/syntax.ts';
import { type AddedParameters, QueryChanges } from './query-changes.ts';
import type { Continuation } from './query-references.ts';
import { coreCall, uidOf } from './routers.ts';

/** Reads the actions of a core controller. `addedTo` returns the parameters of a route, to which it adds. */
export function readController(file: SourceFile, addedTo: (uid: string, action: string) => AddedParameters): void {
  const exported = file.exported();
  const call = exported && coreCall(exported, 'createCoreController');
  if (!call?.rest) return;
  const uid = uidOf(file, call);
  if (uid === null) return;
  const definition = unwrap(call.rest);
  const object = isFunction(definition) ? returnedExpression(definition) : definition;
  if (object?.type !== 'ObjectExpression') {
    return file.report(definition, 'defines actions in a way that is not recognised');
  }
  for (const property of object.properties as Node[]) {
    if (property.type === 'SpreadElement') file.report(property, 'spreads actions that are not recognised');
    const action = property.type === 'Property' ? propertyName(property) : null;
    if (action !== 'find' && action !== 'findOne') continue;
    const method = unwrap(property.value);
    const functions = isFunction(definition) ? [method, definition] : [method];
    if (isFunction(method)) readAction({ file, functions }, action, addedTo(uid, action));
    else file.report(property, `defines the action ${action} in a way that is not recognised`);
  }
}

function readAction(scope: Scope, action: string, added: AddedParameters): void {
  const [method] = scope.functions;
  const isSuperCall = (node: Node) => {
    if (node.type !== 'CallExpression') return false;
    const callee = unwrap(node.callee);
    return callee.type === 'MemberExpression' && callee.object.type === 'Super' && propertyName(callee) === action;
  };
  if (!contains(method.body, isSuperCall)) {
    return scope.file.report(method, `replaces the action ${action}; use a custom route or a query hook`);
  }
  const after = new QueryChanges(scope, added, isSuperCall).read();
  if (!returnsUnchanged(after, isSuperCall))
    scope.file.report(after[0] ?? method, `changes the reply of ${action}; use a custom route`);
}

/** Whether statements return the result of the core action unchanged: directly, or through variables. */
function returnsUnchanged([first, ...rest]: readonly Node[], isSuperCall: Continuation): boolean {
  if (!first) return false;
  if (first.type === 'ReturnStatement') return isSuperCall(unwrap(first.argument));
  if (first.type !== 'VariableDeclaration' || first.declarations.length !== 1) return false;
  const [{ id, init }] = first.declarations as Node[];
  if (!init || !isSuperCall(unwrap(init))) return false;
  const last = rest.find(({ type }) => type === 'ReturnStatement');
  const others = rest.filter((statement) => statement !== last);
  if (!last?.argument || !others.every(isLogCall)) return false;
  const returned = unwrap(last.argument);
  if (id.type === 'Identifier') return returned.name === id.name;
  const names = (pattern: Node): string[] =>
    pattern.properties.map((each: Node) => (each.value?.name === propertyName(each) ? propertyName(each) : '?'));
  return returned.type === 'ObjectExpression' && names(returned).sort().join() === names(id).sort().join();
}

function isLogCall(statement: Node): boolean {
  if (statement.type !== 'ExpressionStatement') return false;
  const call = unwrap(statement.expression);
  if (call.type !== 'CallExpression') return false;
  const { object } = unwrap(call.callee);
  return object !== undefined && isLogger(object);
}

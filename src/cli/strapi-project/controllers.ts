/** Controllers that change what the core actions `find` and `findOne` are asked. */
import { returnedBy, type Scope } from './constants.ts';
import { type AddedQuery, QueryChanges } from './query-changes.ts';
import { coreCall, uidOf } from './routers.ts';
import type { SourceFile } from './source-file.ts';
import { bare, contains, isFunction, keyOf, type Node } from './syntax.ts';

/** Reads the actions of a controller that has those of the core. */
export function readController(file: SourceFile, added: (uid: string, action: string) => AddedQuery): void {
  const exported = file.exported();
  const call = exported && coreCall(exported, 'createCoreController');
  if (!call?.rest) return;
  const uid = uidOf(file, call);
  if (uid === null) return;
  const given = bare(call.rest);
  const object = isFunction(given) ? returnedBy(given) : given;
  if (object?.type !== 'ObjectExpression') return file.unread(given, 'gives actions that cannot be read');
  for (const property of object.properties as Node[]) {
    if (property.type === 'SpreadElement') file.unread(property, 'adds actions that cannot be read');
    const action = property.type === 'Property' ? keyOf(property) : null;
    if (action !== 'find' && action !== 'findOne') continue;
    const method = bare(property.value);
    if (!isFunction(method)) file.unread(property, `gives an action ${action} that cannot be read`);
    else readAction({ file, functions: isFunction(given) ? [method, given] : [method] }, action, added(uid, action));
  }
}

function readAction(scope: Scope, action: string, added: AddedQuery): void {
  const [method] = scope.functions;
  const handsOn = (node: Node) => {
    if (node.type !== 'CallExpression') return false;
    const callee = bare(node.callee);
    return callee.type === 'MemberExpression' && callee.object.type === 'Super' && keyOf(callee) === action;
  };
  if (!contains(method.body, handsOn)) {
    return scope.file.unread(method, `has an action ${action} of its own; write a custom route or a query hook`);
  }
  const after = new QueryChanges(scope, added, handsOn).read();
  if (!passesOn(after, handsOn))
    scope.file.unread(after[0] ?? method, `changes the reply of ${action}; this needs a custom route`);
}

/** Whether statements return what the core action gave as it is: at once, or under the names that it was given. */
function passesOn([first, ...rest]: readonly Node[], handsOn: (node: Node) => boolean): boolean {
  if (!first) return false;
  if (first.type === 'ReturnStatement') return handsOn(bare(first.argument));
  if (first.type !== 'VariableDeclaration' || first.declarations.length !== 1) return false;
  const [{ id, init }] = first.declarations as Node[];
  if (!init || !handsOn(bare(init))) return false;
  const last = rest.find(({ type }) => type === 'ReturnStatement');
  const others = rest.filter((statement) => statement !== last);
  if (!last?.argument || !others.every(isLog)) return false;
  const returned = bare(last.argument);
  if (id.type === 'Identifier') return returned.name === id.name;
  const names = (pattern: Node): string[] =>
    pattern.properties.map((each: Node) => (each.value?.name === keyOf(each) ? keyOf(each) : '?'));
  return returned.type === 'ObjectExpression' && names(returned).sort().join() === names(id).sort().join();
}

function isLog(statement: Node): boolean {
  if (statement.type !== 'ExpressionStatement') return false;
  const call = bare(statement.expression);
  if (call.type !== 'CallExpression') return false;
  const object = bare(call.callee).object;
  return (
    object !== undefined &&
    (object.name === 'console' || (object.type === 'MemberExpression' && keyOf(object) === 'log'))
  );
}

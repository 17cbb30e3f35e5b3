/** Reads the middlewares and policies of a route. */

import { evaluate } from '../../load/project/source/evaluate.ts';
import { definitionOf, NotConstantError, type Scope } from '../../load/project/source/scope.ts';
import type { SourceFile, SourceFiles } from '../../load/project/source/source-file.ts';
import { contains, isFunction, type Node, propertyName, unwrap } from '../../load/project/source/syntax.ts';
import { type AddedParameters, noParameters, QueryChanges } from './query-changes.ts';
import { type CoreRoute, partOf } from './routers.ts';

/** Adds the parameters that a middleware adds to queries of a route. */
export function readMiddleware(
  files: SourceFiles,
  file: SourceFile,
  item: Node,
  route: Pick<CoreRoute, 'uid' | 'action'>,
  added: AddedParameters,
): void {
  const middleware = unwrap(item);
  if (isFunction(middleware)) return readFunction({ file, functions: [middleware] }, added);
  const { name, config } = nameAndConfig(file, middleware);
  if (name === null) {
    return file.report(item, `names a middleware of ${route.uid}.${route.action} with a value that is not constant`);
  }
  const source = fileOf(files, name, 'middlewares');
  if (!source) return file.report(item, `uses the middleware ${name}, which is not in the project`);
  const factory = source.exported();
  const inner = factory && innerFunction(factory, source);
  if (!factory || !inner) {
    return source.report(source.program.body[0] ?? source.program, 'does not export a recognised middleware');
  }
  const [parameter] = factory.params as Node[];
  const known = parameter?.type === 'Identifier' && config !== undefined ? { [parameter.name]: config } : {};
  readFunction({ file: source, functions: [inner, factory], known }, added);
}

/** Reports a policy of a route, and whether it changes queries. */
export function readPolicy(
  files: SourceFiles,
  file: SourceFile,
  item: Node,
  { uid, action }: Pick<CoreRoute, 'uid' | 'action'>,
): void {
  const { name } = nameAndConfig(file, unwrap(item));
  file.report(
    item,
    `applies the policy ${name ?? '(a function)'} to ${uid}.${action}; Lectern only checks permissions`,
  );
  const source = name === null ? null : fileOf(files, name, 'policies');
  const policy = source?.exported();
  if (!source || !policy || !isFunction(policy)) return;
  const added = noParameters();
  new QueryChanges({ file: source, functions: [policy] }, added, () => false).read();
  if (Object.keys({ ...added.default, ...added.set }).length > 0)
    source.report(policy, 'changes the query in a policy');
}

function nameAndConfig(file: SourceFile, item: Node): { name: string | null; config?: unknown } {
  const scope: Scope = { file, functions: [] };
  try {
    const nameNode = partOf(item, 'name', scope) ?? partOf(item, 'resolve', scope);
    const name = evaluate(nameNode ?? item, scope);
    const config = partOf(item, 'config', scope);
    return { name: typeof name === 'string' ? name : null, config: config ? evaluate(config, scope) : undefined };
  } catch (error) {
    if (error instanceof NotConstantError) return { name: null };
    throw error;
  }
}

/** Returns `src/api/page/middlewares/fill` for `api::page.fill`, and `src/middlewares/fill` for `global::fill`. */
function fileOf(files: SourceFiles, name: string, folder: string): SourceFile | null {
  const [, scope, rest] = /^(api|global)::(.+)$/.exec(name) ?? [];
  if (scope === 'global') return files.find('src', folder, rest);
  if (scope !== 'api') return name.startsWith('.') ? files.find(name) : null;
  const dot = rest.indexOf('.');
  return dot < 0 ? null : files.find('src/api', rest.slice(0, dot), folder, rest.slice(dot + 1));
}

/** Returns the function that the factory of a middleware returns, or null. */
function innerFunction(factory: Node, file: SourceFile): Node | null {
  if (!isFunction(factory)) return null;
  const { body } = factory;
  const returned =
    body.type === 'BlockStatement' ? body.body.find(({ type }: Node) => type === 'ReturnStatement')?.argument : body;
  if (!returned) return null;
  const node = unwrap(returned);
  const inner = node.type === 'Identifier' ? definitionOf(node, { file, functions: [factory] })?.node : node;
  return isFunction(inner) ? inner : null;
}

function readFunction(scope: Scope, added: AddedParameters): void {
  const [inner] = scope.functions;
  const [context, next] = inner.params as Node[];
  const isNextCall = (node: Node) =>
    node.type === 'CallExpression' && unwrap(node.callee).name === (next?.name ?? 'next');
  const after = new QueryChanges(scope, added, isNextCall).read();
  if (!contains(inner.body, isNextCall)) return scope.file.report(inner, 'answers the request and never calls next');
  const isReply = (node: Node) =>
    node.type === 'AssignmentExpression' && /^(body|status|response)$/.test(firstKey(node.left, context?.name) ?? '');
  const changed = after.find((statement) => contains(statement, isReply));
  if (changed) scope.file.report(changed, 'changes the reply; use a custom route');
}

/** Returns `body` for `ctx.body.data`, or null if the expression does not start with the context. */
function firstKey(node: Node, context: string | undefined): string | null {
  if (node.type !== 'MemberExpression') return null;
  return node.object.name === context ? propertyName(node) : firstKey(node.object, context);
}

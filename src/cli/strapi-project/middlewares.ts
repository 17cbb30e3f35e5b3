/** Middlewares and policies that a route names. */
import { definitionOf, evaluate, type Scope, UnknownValue } from './constants.ts';
import { type AddedQuery, noQuery, QueryChanges } from './query-changes.ts';
import { type CoreRoute, partOf } from './routers.ts';
import type { SourceFile, SourceFiles } from './source-file.ts';
import { bare, contains, isFunction, keyOf, type Node } from './syntax.ts';

/** Reads what a middleware adds to the queries of a route. */
export function readMiddleware(
  files: SourceFiles,
  file: SourceFile,
  item: Node,
  route: Pick<CoreRoute, 'uid' | 'action'>,
  added: AddedQuery,
): void {
  const middleware = bare(item);
  if (isFunction(middleware)) return readFunction({ file, functions: [middleware] }, added);
  const { name, config } = nameAndConfig(file, middleware);
  if (name === null) return file.unread(item, `names a middleware of ${route.uid}.${route.action} that cannot be read`);
  const source = fileOf(files, name, 'middlewares');
  if (!source) return file.unread(item, `uses the middleware ${name}, whose file is not in the project`);
  const factory = source.exported();
  const inner = factory && innerFunction(factory, source);
  if (!factory || !inner)
    return source.unread(source.program.body[0] ?? source.program, 'exports no middleware that can be read');
  const [parameter] = factory.params as Node[];
  const known = parameter?.type === 'Identifier' && config !== undefined ? { [parameter.name]: config } : {};
  readFunction({ file: source, functions: [inner, factory], known }, added);
}

/** Names a policy of a route, and what it does to queries. */
export function readPolicy(
  files: SourceFiles,
  file: SourceFile,
  item: Node,
  { uid, action }: Pick<CoreRoute, 'uid' | 'action'>,
): void {
  const { name } = nameAndConfig(file, bare(item));
  file.unread(
    item,
    `applies the policy ${name ?? '(a function)'} to ${uid}.${action}; Lectern goes by permissions alone`,
  );
  const source = name === null ? null : fileOf(files, name, 'policies');
  const policy = source?.exported();
  if (!source || !policy || !isFunction(policy)) return;
  const added = noQuery();
  new QueryChanges({ file: source, functions: [policy] }, added, () => false).read();
  if (Object.keys({ ...added.default, ...added.set }).length > 0)
    source.unread(policy, 'is a policy that changes the query');
}

function nameAndConfig(file: SourceFile, item: Node): { name: string | null; config?: unknown } {
  const scope: Scope = { file, functions: [] };
  try {
    const nameNode = partOf(item, 'name', scope) ?? partOf(item, 'resolve', scope);
    const name = evaluate(nameNode ?? item, scope);
    const config = partOf(item, 'config', scope);
    return { name: typeof name === 'string' ? name : null, config: config ? evaluate(config, scope) : undefined };
  } catch (error) {
    if (error instanceof UnknownValue) return { name: null };
    throw error;
  }
}

/** `api::page.populate` is src/api/page/middlewares/populate, `global::populate` is src/middlewares/populate. */
function fileOf(files: SourceFiles, name: string, folder: string): SourceFile | null {
  const [, scope, rest] = /^(api|global)::(.+)$/.exec(name) ?? [];
  if (scope === 'global') return files.find('src', folder, rest);
  if (scope !== 'api') return name.startsWith('.') ? files.find(name) : null;
  const dot = rest.indexOf('.');
  return dot < 0 ? null : files.find('src/api', rest.slice(0, dot), folder, rest.slice(dot + 1));
}

/** The function that a middleware's factory returns. */
function innerFunction(factory: Node, file: SourceFile): Node | null {
  if (!isFunction(factory)) return null;
  const { body } = factory;
  const returned =
    body.type === 'BlockStatement' ? body.body.find(({ type }: Node) => type === 'ReturnStatement')?.argument : body;
  if (!returned) return null;
  const node = bare(returned);
  const inner = node.type === 'Identifier' ? definitionOf(node, { file, functions: [factory] })?.node : node;
  return isFunction(inner) ? inner : null;
}

function readFunction(scope: Scope, added: AddedQuery): void {
  const [inner] = scope.functions;
  const [context, next] = inner.params as Node[];
  const handsOn = (node: Node) => node.type === 'CallExpression' && bare(node.callee).name === (next?.name ?? 'next');
  const after = new QueryChanges(scope, added, handsOn).read();
  if (!contains(inner.body, handsOn)) return scope.file.unread(inner, 'answers by itself');
  const isReply = (node: Node) =>
    node.type === 'AssignmentExpression' && /^(body|status|response)$/.test(firstKey(node.left, context?.name) ?? '');
  const changed = after.find((statement) => contains(statement, isReply));
  if (changed) scope.file.unread(changed, 'changes the reply; this needs a custom route');
}

/** `body` of `ctx.body.data`. */
function firstKey(node: Node, context: string | undefined): string | null {
  if (node.type !== 'MemberExpression') return null;
  return node.object.name === context ? keyOf(node) : firstKey(node.object, context);
}

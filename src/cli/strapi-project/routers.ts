/** The routes of a project that read content: which middlewares and policies they pass. */
import { definitionOf, evaluate, type Scope, UnknownValue } from './constants.ts';
import type { SourceFile } from './source-file.ts';
import { bare, keyOf, type Node } from './syntax.ts';

/** A content type of a project, with the names that its routes may have. */
export interface ProjectType {
  readonly uid: string;
  readonly pluralName: string | null;
  readonly singularName: string | null;
}

/** A route that Lectern serves too. */
export interface CoreRoute {
  readonly uid: string;
  readonly action: string;
  readonly file: SourceFile;
  /** As they are written: names, objects or functions. */
  readonly middlewares: readonly Node[];
  readonly policies: readonly Node[];
}

const readingActions = ['find', 'findOne'];

export function readRouters(types: ReadonlyMap<string, ProjectType>, sources: readonly SourceFile[]): CoreRoute[] {
  return sources.flatMap((file) => {
    const exported = file.exported();
    if (!exported) return [];
    const core = coreCall(exported, 'createCoreRouter');
    if (core) return coreRoutes(file, core);
    const scope = { file, functions: [] };
    const list = partOf(exported, 'routes', scope) ?? (exported.type === 'ArrayExpression' ? exported : null);
    if (list?.type === 'ArrayExpression')
      return list.elements.flatMap((route: Node) => listedRoute(file, route, types));
    if (list) file.unread(list, 'lists routes that cannot be read');
    return [];
  });
}

/** A call of one of Strapi's factories: the uid, and what is given with it. */
export interface CoreCall {
  readonly node: Node;
  readonly uid: Node;
  readonly rest: Node | null;
}

export function coreCall(node: Node, name: string): CoreCall | null {
  const call = bare(node);
  if (call.type !== 'CallExpression' || call.arguments.length === 0) return null;
  const callee = bare(call.callee);
  const called = callee.type === 'MemberExpression' ? keyOf(callee) : callee.name;
  return called === name ? { node: call, uid: call.arguments[0], rest: call.arguments[1] ?? null } : null;
}

/** The text of the uid; null, and noted, if it cannot be read. */
export function uidOf(file: SourceFile, { uid }: CoreCall): string | null {
  const value = known(uid, { file, functions: [] });
  if (typeof value === 'string') return value;
  file.unread(uid, 'names a content type that cannot be read');
  return null;
}

/** The value of a property of an object, followed through constants. */
export function partOf(object: Node | null, name: string, scope: Scope): Node | null {
  const node = object && resolved(object, scope);
  if (node?.type !== 'ObjectExpression') return null;
  const property = node.properties.find((each: Node) => each.type === 'Property' && keyOf(each) === name);
  return property ? resolved(property.value, scope) : null;
}

/** What a name stands for. */
function resolved(expression: Node, scope: Scope): Node {
  const node = bare(expression);
  if (node.type !== 'Identifier') return node;
  const definition = definitionOf(node, scope);
  return definition && definition.keys.length === 0 && definition.scope.file === scope.file
    ? bare(definition.node)
    : node;
}

function known(node: Node, scope: Scope): unknown {
  try {
    return evaluate(node, scope);
  } catch (error) {
    if (error instanceof UnknownValue) return undefined;
    throw error;
  }
}

function coreRoutes(file: SourceFile, call: CoreCall): CoreRoute[] {
  const uid = uidOf(file, call);
  if (uid === null || !call.rest) return [];
  const scope = { file, functions: [] };
  const options = resolved(call.rest, scope);
  if (options.type !== 'ObjectExpression') {
    file.unread(options, 'gives options of a router that cannot be read');
    return [];
  }
  const prefix = partOf(options, 'prefix', scope);
  if (prefix && known(prefix, scope) !== '')
    file.unread(prefix, 'serves the type below a prefix; Lectern serves it without');
  for (const name of ['only', 'except']) {
    const list = partOf(options, name, scope);
    if (list) file.unread(list, `leaves out routes (${name}); Lectern serves what permissions allow`);
  }
  const config = partOf(options, 'config', scope);
  return readingActions.map((action) => ({
    uid,
    action,
    file,
    middlewares: itemsOf(file, config, action, 'middlewares'),
    policies: itemsOf(file, config, action, 'policies'),
  }));
}

function itemsOf(file: SourceFile, config: Node | null, action: string | null, name: string): Node[] {
  const scope = { file, functions: [] };
  const list = partOf(action === null ? config : partOf(config, action, scope), name, scope);
  if (!list) return [];
  if (list.type !== 'ArrayExpression') {
    file.unread(list, `lists ${name} that cannot be read`);
    return [];
  }
  return list.elements.filter((item: Node | null) => item !== null);
}

/** A route written out. One at the address of a core route is this core route; others are the project's own. */
function listedRoute(file: SourceFile, route: Node, types: ReadonlyMap<string, ProjectType>): CoreRoute[] {
  const scope = { file, functions: [] };
  const text = (name: string) => {
    const part = partOf(route, name, scope);
    const value = part && known(part, scope);
    return typeof value === 'string' ? value : null;
  };
  const [method, path, handler] = [text('method'), text('path'), text('handler')];
  if (method === null || path === null) {
    file.unread(route, 'is a route that cannot be read');
    return [];
  }
  if (method.toUpperCase() !== 'GET') return [];
  const target = handler === null ? null : coreTarget(path, handler, types);
  if (!target) {
    file.unread(route, `GET ${path} is a route of the project's own; write it as a custom route`);
    return [];
  }
  const config = partOf(route, 'config', scope);
  const middlewares = itemsOf(file, config, null, 'middlewares');
  return [{ ...target, file, middlewares, policies: itemsOf(file, config, null, 'policies') }];
}

/** `/pages/:id` with `page.findOne` is the core route of `api::page.page`. */
function coreTarget(
  path: string,
  handler: string,
  types: ReadonlyMap<string, ProjectType>,
): { uid: string; action: string } | null {
  const [, controller, action] = /^(.+)\.(\w+)$/.exec(handler) ?? [];
  if (!readingActions.includes(action)) return null;
  const [, plural, rest] = /^\/([^/]+)(\/:\w+)?$/.exec(path) ?? [];
  for (const { uid, pluralName, singularName } of types.values()) {
    if (uid !== controller && !uid.endsWith(`.${controller}`)) continue;
    const isList = action === 'find' && rest === undefined && (plural === pluralName || plural === singularName);
    if (isList || (action === 'findOne' && rest !== undefined && plural === pluralName)) return { uid, action };
  }
  return null;
}

/** Reads the core routes of a project, with their middlewares and policies. */

import { evaluate } from '../../load/project/source/evaluate.ts';
import { definitionOf, NotConstantError, type Scope } from '../../load/project/source/scope.ts';
import type { SourceFile } from '../../load/project/source/source-file.ts';
import { type Node, propertyName, unwrap } from '../../load/project/source/syntax.ts';

/** A content type of a project, with the names that its routes can use. */
export interface ProjectType {
  readonly uid: string;
  readonly pluralName: string | null;
  readonly singularName: string | null;
}

/** A route of Strapi's core that reads content, so that Lectern serves it too. */
export interface CoreRoute {
  readonly uid: string;
  readonly action: string;
  readonly file: SourceFile;
  /** The items as written: names, objects or functions. */
  readonly middlewares: readonly Node[];
  readonly policies: readonly Node[];
}

const readActions = ['find', 'findOne'];

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
    if (list) file.report(list, 'lists routes in a way that is not recognised');
    return [];
  });
}

/** A call of one of Strapi's factories: its uid and its second argument. */
export interface CoreCall {
  readonly node: Node;
  readonly uid: Node;
  readonly rest: Node | null;
}

/** Returns a call of the factory with this name, or null for any other node. */
export function coreCall(node: Node, name: string): CoreCall | null {
  const call = unwrap(node);
  if (call.type !== 'CallExpression' || call.arguments.length === 0) return null;
  const callee = unwrap(call.callee);
  const called = callee.type === 'MemberExpression' ? propertyName(callee) : callee.name;
  return called === name ? { node: call, uid: call.arguments[0], rest: call.arguments[1] ?? null } : null;
}

/** Returns the uid of a call. Reports one that is not constant and returns null. */
export function uidOf(file: SourceFile, { uid }: CoreCall): string | null {
  const value = constantValue(uid, { file, functions: [] });
  if (typeof value === 'string') return value;
  file.report(uid, 'names a content type with a value that is not constant');
  return null;
}

/** Returns the value of a property. Follows constants of the same file. Null if the object or property is missing. */
export function partOf(object: Node | null, name: string, scope: Scope): Node | null {
  const node = object && resolveName(object, scope);
  if (node?.type !== 'ObjectExpression') return null;
  const property = node.properties.find((each: Node) => each.type === 'Property' && propertyName(each) === name);
  return property ? resolveName(property.value, scope) : null;
}

/** Returns the definition of a name if it is in the same file, or any other expression unchanged. */
function resolveName(expression: Node, scope: Scope): Node {
  const node = unwrap(expression);
  if (node.type !== 'Identifier') return node;
  const definition = definitionOf(node, scope);
  return definition && definition.keys.length === 0 && definition.scope.file === scope.file
    ? unwrap(definition.node)
    : node;
}

/** Returns the value of a constant expression, or undefined. */
function constantValue(node: Node, scope: Scope): unknown {
  try {
    return evaluate(node, scope);
  } catch (error) {
    if (error instanceof NotConstantError) return undefined;
    throw error;
  }
}

function coreRoutes(file: SourceFile, call: CoreCall): CoreRoute[] {
  const uid = uidOf(file, call);
  if (uid === null || !call.rest) return [];
  const scope = { file, functions: [] };
  const options = resolveName(call.rest, scope);
  if (options.type !== 'ObjectExpression') {
    file.report(options, 'defines router options in a way that is not recognised');
    return [];
  }
  const prefix = partOf(options, 'prefix', scope);
  if (prefix && constantValue(prefix, scope) !== '')
    file.report(prefix, 'adds a prefix to the routes of the type; Lectern does not');
  for (const name of ['only', 'except']) {
    const list = partOf(options, name, scope);
    if (list) file.report(list, `disables routes (${name}); Lectern serves what permissions allow`);
  }
  const config = partOf(options, 'config', scope);
  return readActions.map((action) => ({
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
    file.report(list, `lists ${name} in a way that is not recognised`);
    return [];
  }
  return list.elements.filter((item: Node | null) => item !== null);
}

/** Reads a route in a list. One with the path and handler of a core route is a core route. Reports any other. */
function listedRoute(file: SourceFile, route: Node, types: ReadonlyMap<string, ProjectType>): CoreRoute[] {
  const scope = { file, functions: [] };
  const text = (name: string) => {
    const part = partOf(route, name, scope);
    const value = part && constantValue(part, scope);
    return typeof value === 'string' ? value : null;
  };
  const [method, path, handler] = [text('method'), text('path'), text('handler')];
  if (method === null || path === null) {
    file.report(route, 'defines a route in a way that is not recognised');
    return [];
  }
  if (method.toUpperCase() !== 'GET') return [];
  const target = handler === null ? null : coreTarget(path, handler, types);
  if (!target) {
    file.report(route, `defines GET ${path}; use a custom route`);
    return [];
  }
  const config = partOf(route, 'config', scope);
  const middlewares = itemsOf(file, config, null, 'middlewares');
  return [{ ...target, file, middlewares, policies: itemsOf(file, config, null, 'policies') }];
}

/** Returns the core route of a path and a handler, such as `/pages/:id` and `page.findOne`. Null for other routes. */
function coreTarget(
  path: string,
  handler: string,
  types: ReadonlyMap<string, ProjectType>,
): { uid: string; action: string } | null {
  const [, controller, action] = /^(.+)\.(\w+)$/.exec(handler) ?? [];
  if (!readActions.includes(action)) return null;
  const [, plural, rest] = /^\/([^/]+)(\/:\w+)?$/.exec(path) ?? [];
  for (const { uid, pluralName, singularName } of types.values()) {
    if (uid !== controller && !uid.endsWith(`.${controller}`)) continue;
    const isList = action === 'find' && rest === undefined && (plural === pluralName || plural === singularName);
    if (isList || (action === 'findOne' && rest !== undefined && plural === pluralName)) return { uid, action };
  }
  return null;
}

/** Reads the routes, middlewares and controllers of a Strapi project, and proposes the setting `routes` from them. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readController } from './controllers.ts';
import { readMiddleware, readPolicy } from './middlewares.ts';
import { type AddedQuery, noQuery } from './query-changes.ts';
import { type ProjectType, readRouters } from './routers.ts';
import { type SourceFile, SourceFiles, type Unread } from './source-file.ts';
import { contains, keyOf, type Node } from './syntax.ts';

/** What a project adds to queries, and what could not be read. */
export interface Proposal {
  readonly routes: Record<string, Record<string, Partial<AddedQuery>>>;
  readonly unread: readonly Unread[];
}

export function proposeRoutes(root: string): Proposal {
  const files = new SourceFiles(root);
  const added = new Map<string, AddedQuery>();
  const of = (uid: string, action: string) => {
    const key = `${uid} ${action}`;
    if (!added.has(key)) added.set(key, noQuery());
    return added.get(key)!;
  };
  const routes = readRouters(typesOf(root), sourcesIn(files, root, 'routes'));
  for (const route of routes) {
    for (const policy of route.policies) readPolicy(files, route.file, policy, route);
    for (const middleware of route.middlewares)
      readMiddleware(files, route.file, middleware, route, of(route.uid, route.action));
  }
  for (const file of sourcesIn(files, root, 'controllers')) {
    readController(file, of);
  }
  readElsewhere(files, root);
  return { routes: assembled(added), unread: sorted(files.unread) };
}

/** The files of every API in the folder of a name. */
function sourcesIn(files: SourceFiles, root: string, folder: string): SourceFile[] {
  return namesIn(join(root, 'src/api')).flatMap((api) => {
    const path = join(root, 'src/api', api, folder);
    return namesIn(path)
      .filter((name) => /\.[cm]?[jt]s$/.test(name) && !/\.d\.[cm]?ts$/.test(name))
      .flatMap((name) => files.open(join(path, name)) ?? []);
  });
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function typesOf(root: string): Map<string, ProjectType> {
  const types = new Map<string, ProjectType>();
  for (const api of namesIn(join(root, 'src/api'))) {
    for (const name of namesIn(join(root, 'src/api', api, 'content-types'))) {
      const file = join(root, 'src/api', api, 'content-types', name, 'schema.json');
      if (!existsSync(file)) continue;
      const { info = {} } = JSON.parse(readFileSync(file, 'utf8'));
      const uid = `api::${api}.${name}`;
      types.set(uid, { uid, pluralName: info.pluralName ?? null, singularName: info.singularName ?? null });
    }
  }
  return types;
}

/** Other places that may change queries: they are named, not read. */
function readElsewhere(files: SourceFiles, root: string): void {
  const middlewares = files.find('config/middlewares');
  if (middlewares) readGlobal(files, middlewares);
  for (const file of filesWith(registration, files, root)) readRegistrations(file);
  for (const name of namesIn(join(root, 'src/extensions'))) {
    const file = files.find('src/extensions', name, 'strapi-server');
    if (file?.program.body[0]) file.unread(file.program.body[0], 'extends a plugin, which may change its routes');
  }
}

/** What code that registers something at start contains. */
const registration = /\bdocuments\s*\.\s*use\b|\bserver\s*\.\s*(use|routes)\b/;

/** The files of the server's code with a text in them. */
function filesWith(pattern: RegExp, files: SourceFiles, root: string): SourceFile[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.[cm]?[jt]s$/.test(name) && !/\.d\.[cm]?ts$|(^|[\\/])node_modules[\\/]|^admin[\\/]/.test(name))
    .sort()
    .map((name) => join(root, 'src', name))
    .filter((path) => statSync(path).isFile() && pattern.test(readFileSync(path, 'utf8')))
    .flatMap((path) => files.open(path) ?? []);
}

/** Names what is registered for all requests. */
function readRegistrations(file: SourceFile): void {
  visit(file.program, (node) => {
    if (isCallOf(node, 'documents', 'use'))
      file.unread(node, 'registers a document middleware, which may change any query');
    if (isCallOf(node, 'server', 'use')) file.unread(node, 'registers a middleware, which may change any query');
    if (isCallOf(node, 'server', 'routes')) file.unread(node, 'adds routes; write them as custom routes');
  });
}

/** Middlewares that every request passes. */
function readGlobal(files: SourceFiles, list: SourceFile): void {
  visit(list.program, (node) => {
    if (node.type !== 'Literal' || typeof node.value !== 'string' || !node.value.startsWith('global::')) return;
    const file = files.find('src/middlewares', node.value.slice('global::'.length));
    const assigns =
      file && contains(file.program, ({ type, left }) => type === 'AssignmentExpression' && isQuery(left));
    if (assigns)
      list.unread(node, `${node.value} changes the query of every request (${file.name}); add it where it is needed`);
  });
}

/** `ctx.query`, or a part of it. */
function isQuery(node: Node): boolean {
  return node.type === 'MemberExpression' && (keyOf(node) === 'query' || isQuery(node.object));
}

/** `strapi.documents.use(…)` */
function isCallOf(node: Node, holder: string, method: string): boolean {
  const { callee } = node;
  if (node.type !== 'CallExpression' || callee.type !== 'MemberExpression' || keyOf(callee) !== method) return false;
  return callee.object.type === 'MemberExpression' && keyOf(callee.object) === holder;
}

function visit(node: Node, see: (node: Node) => void): void {
  contains(node, (part) => {
    see(part);
    return false;
  });
}

/** Without what adds nothing, in the order of uids. */
function assembled(added: ReadonlyMap<string, AddedQuery>): Proposal['routes'] {
  const routes: Proposal['routes'] = {};
  for (const [key, query] of [...added].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const parts = Object.entries(query).filter(([, parameters]) => Object.keys(parameters).length > 0);
    if (parts.length === 0) continue;
    const [uid, action] = key.split(' ');
    routes[uid] = { ...routes[uid], [action]: Object.fromEntries(parts) };
  }
  return routes;
}

function sorted(unread: readonly Unread[]): Unread[] {
  return [...unread].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

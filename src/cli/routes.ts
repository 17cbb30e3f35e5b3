import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, type SourceFile, SourceFiles } from '../load/project/source/source-file.ts';
import { contains, findAll, type Node, propertyName } from '../load/project/source/syntax.ts';
import { counted, Failure } from './report.ts';
import { readController } from './strapi-project/controllers.ts';
import { readMiddleware, readPolicy } from './strapi-project/middlewares.ts';
import { type AddedParameters, noParameters } from './strapi-project/query-changes.ts';
import { type ProjectType, readRouters } from './strapi-project/routers.ts';

/**
 * Derives settings from the code of a Strapi project and prints them as JSON to stdout. Lists code that it cannot
 * interpret on stderr. Parses the code and never runs it.
 */
export function routes(project: string): void {
  if (!existsSync(join(project, 'src/api'))) {
    throw new Failure(`${project} has no folder src/api. Name the folder of a Strapi project.`);
  }
  const { routes: proposed, findings } = proposeRoutes(project);
  console.log(JSON.stringify({ routes: proposed }, null, 2));
  for (const { file, line, message } of findings) console.error(`${file}:${line}: ${message}`);
  const actions = Object.values(proposed).reduce((total, each) => total + Object.keys(each).length, 0);
  const types = counted(Object.keys(proposed).length, 'content type');
  console.error(`${counted(actions, 'route')} of ${types} proposed; ${counted(findings.length, 'place')} to review`);
}

/** The proposed setting, and code that has to be reviewed by hand. */
export interface Proposal {
  readonly routes: Record<string, Record<string, Partial<AddedParameters>>>;
  readonly findings: readonly Finding[];
}

export function proposeRoutes(root: string): Proposal {
  const files = new SourceFiles(root);
  const added = new Map<string, AddedParameters>();
  const addedTo = (uid: string, action: string) => {
    const key = `${uid} ${action}`;
    if (!added.has(key)) added.set(key, noParameters());
    return added.get(key)!;
  };
  const routes = readRouters(typesOf(files, root), sourcesIn(files, root, 'routes'));
  for (const route of routes) {
    for (const policy of route.policies) readPolicy(files, route.file, policy, route);
    for (const middleware of route.middlewares)
      readMiddleware(files, route.file, middleware, route, addedTo(route.uid, route.action));
  }
  for (const file of sourcesIn(files, root, 'controllers')) readController(file, addedTo);
  reportOtherCode(files, root);
  return { routes: assemble(added), findings: sort(files.findings) };
}

/** Returns the files in this folder of every API. */
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

/** Returns the content types of the project. Reports a schema that cannot be read. */
function typesOf(files: SourceFiles, root: string): Map<string, ProjectType> {
  const types = new Map<string, ProjectType>();
  for (const api of namesIn(join(root, 'src/api'))) {
    for (const name of namesIn(join(root, 'src/api', api, 'content-types'))) {
      const file = join(root, 'src/api', api, 'content-types', name, 'schema.json');
      if (!existsSync(file)) continue;
      const uid = `api::${api}.${name}`;
      const schema = files.readJson(file) as { info?: Partial<ProjectType> } | null;
      types.set(uid, {
        uid,
        pluralName: schema?.info?.pluralName ?? null,
        singularName: schema?.info?.singularName ?? null,
      });
    }
  }
  return types;
}

/** Reports other code that may change queries, without reading the changes. */
function reportOtherCode(files: SourceFiles, root: string): void {
  const middlewares = files.find('config/middlewares');
  if (middlewares) reportGlobalMiddlewares(files, middlewares);
  for (const file of filesWith(registration, files, root)) reportRegistrations(file);
  for (const name of namesIn(join(root, 'src/extensions'))) {
    const file = files.find('src/extensions', name, 'strapi-server');
    if (file?.program.body[0]) file.report(file.program.body[0], 'extends a plugin, which may change its routes');
  }
}

/** Matches code that registers middlewares or routes at start. */
const registration = /\bdocuments\s*\.\s*use\b|\bserver\s*\.\s*(use|routes)\b/;

/** Returns the files of the server whose text matches a pattern. The admin panel is excluded. */
function filesWith(pattern: RegExp, files: SourceFiles, root: string): SourceFile[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.[cm]?[jt]s$/.test(name) && !/\.d\.[cm]?ts$|(^|[\\/])node_modules[\\/]|^admin[\\/]/.test(name))
    .sort()
    .map((name) => join(root, 'src', name))
    .filter((path) => statSync(path).isFile() && pattern.test(readFileSync(path, 'utf8')))
    .flatMap((path) => files.open(path) ?? []);
}

/** Calls that register code for all requests, with the message about each. */
const registrations = [
  { object: 'documents', method: 'use', message: 'registers a document middleware, which may change any query' },
  { object: 'server', method: 'use', message: 'registers a middleware, which may change any query' },
  { object: 'server', method: 'routes', message: 'adds routes; use custom routes' },
];

function reportRegistrations(file: SourceFile): void {
  for (const { object, method, message } of registrations) {
    for (const call of findAll(file.program, (node) => isCallOf(node, object, method))) file.report(call, message);
  }
}

/** Reports middlewares in `config/middlewares` that assign to the query. */
function reportGlobalMiddlewares(files: SourceFiles, list: SourceFile): void {
  const isGlobal = ({ type, value }: Node) =>
    type === 'Literal' && typeof value === 'string' && value.startsWith('global::');
  for (const node of findAll(list.program, isGlobal)) {
    const file = files.find('src/middlewares', node.value.slice('global::'.length));
    const assigns =
      file && contains(file.program, ({ type, left }) => type === 'AssignmentExpression' && isQuery(left));
    if (assigns)
      list.report(node, `${node.value} (${file.name}) changes every query; add its parameters where they are needed`);
  }
}

/** Whether an expression is a property `query` or a part of one. */
function isQuery(node: Node): boolean {
  return node.type === 'MemberExpression' && (propertyName(node) === 'query' || isQuery(node.object));
}

/** Whether a node is a call such as `strapi.documents.use(…)`. */
function isCallOf(node: Node, object: string, method: string): boolean {
  const { callee } = node;
  if (node.type !== 'CallExpression' || callee.type !== 'MemberExpression' || propertyName(callee) !== method)
    return false;
  return callee.object.type === 'MemberExpression' && propertyName(callee.object) === object;
}

/** Returns the setting, sorted by uid, without empty parts. */
function assemble(added: ReadonlyMap<string, AddedParameters>): Proposal['routes'] {
  const routes: Proposal['routes'] = {};
  for (const [key, query] of [...added].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const parts = Object.entries(query).filter(([, parameters]) => Object.keys(parameters).length > 0);
    if (parts.length === 0) continue;
    const [uid, action] = key.split(' ');
    routes[uid] = { ...routes[uid], [action]: Object.fromEntries(parts) };
  }
  return routes;
}

function sort(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

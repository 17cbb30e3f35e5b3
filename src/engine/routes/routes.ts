/** The routes of the content API: one kind for each way of reading, with the fields that this kind needs. */
import { fileType, localeType, roleType, userType } from '../../model/schema/schema.ts';
import type { RawQuery } from '../../query/syntax/parse.ts';
import type { SchemaRequest } from '../schemas/schema-replies.ts';

interface RouteBase {
  /** The path below the prefix, as a template without values: `articles/:documentId`. */
  readonly path: string;
  readonly uid: string;
  /** The permission that the caller needs. */
  readonly action: string;
  /** The site's additions to queries that come over HTTP. */
  readonly addition: QueryAddition | null;
}

/** Lists the entries of a type. */
export interface ListRoute extends RouteBase {
  readonly kind: 'list';
  /** `page`: an envelope with one page; `whole`: an envelope with all entries; `bare`: a list without an envelope. */
  readonly form: 'page' | 'whole' | 'bare';
  /** A bare list is the value of this member of an object. */
  readonly member: string | null;
  readonly ignoresQuery: boolean;
}

/** Reads the entry of a single type. */
export interface SingleRoute extends RouteBase {
  readonly kind: 'single';
}

/** Reads one document, by its documentId or, in content of Strapi 4, by the id of one of its rows. */
export interface DocumentRoute extends RouteBase {
  readonly kind: 'document';
  readonly key: 'documentId' | 'id';
  readonly identifier: string;
}

/** Reads one entry by its id, without an envelope. */
interface EntryRoute extends RouteBase {
  readonly kind: 'entry';
  readonly identifier: string;
  /** The entry is the value of this member of an object. */
  readonly member: string | null;
  readonly ignoresQuery: boolean;
  /** The whole query is checked, but only `populate` has an effect. */
  readonly onlyPopulates: boolean;
  /** The message of the 404 if there is no such entry. Null: the reply is a 204. */
  readonly notFoundMessage: string | null;
}

/** Reads the user that the caller's JWT names. A 204 if there is none. */
interface MeRoute extends RouteBase {
  readonly kind: 'me';
}

/** Counts entries. */
interface CountRoute extends RouteBase {
  readonly kind: 'count';
}

/** Describes all content types or components, or the one with a uid. */
export interface SchemasRoute {
  readonly kind: 'schemas';
  readonly path: string;
  readonly action: string;
  readonly describes: SchemaRequest['describes'];
  readonly identifier: string | undefined;
}

/** A route that reads entries, and so takes a query. */
export type QueryRoute = ListRoute | SingleRoute | DocumentRoute | EntryRoute | MeRoute | CountRoute;

export type Route = QueryRoute | SchemasRoute;

/** A route whose queries a site may add to, under its content type and the last part of its action. */
export interface ConfigurableRoute {
  readonly uid: string;
  readonly action: string;
  readonly route: QueryRoute;
}

/** The last part of the action: `find`. */
export function actionName({ action }: QueryRoute): string {
  return action.slice(action.lastIndexOf('.') + 1);
}

/** The list of a collection type: one page in an envelope. */
export function collectionRoute(path: string, uid: string): ListRoute {
  return { kind: 'list', path, uid, action: `${uid}.find`, addition: null, ...page };
}

export function singleRoute(path: string, uid: string): SingleRoute {
  return { kind: 'single', path, uid, action: `${uid}.find`, addition: null };
}

/** One document of the collection at `path`. `identifier` is filled in for each request. */
export function documentRoute(path: string, uid: string): DocumentRoute {
  const action = `${uid}.findOne`;
  return {
    kind: 'document',
    path: `${path}/:documentId`,
    uid,
    action,
    addition: null,
    key: 'documentId',
    identifier: '',
  };
}

/** Strapi 4 lists the rows of a localized single type if a query asks for every locale. */
export function everyLocaleOf({ path, uid, action, addition }: SingleRoute): ListRoute {
  return { kind: 'list', path, uid, action, addition, form: 'whole', member: null, ignoresQuery: false };
}

/** `upload/files` or `upload/files/:id`. */
export function filesRoute(identifier: string | undefined): ListRoute | EntryRoute {
  const action = 'plugin::upload.content-api';
  if (identifier === undefined) {
    return { kind: 'list', path: 'upload/files', uid: fileType, action: `${action}.find`, addition: null, ...bare };
  }
  return {
    kind: 'entry',
    path: 'upload/files/:id',
    uid: fileType,
    action: `${action}.findOne`,
    addition: null,
    identifier,
    member: null,
    ignoresQuery: false,
    onlyPopulates: true,
    notFoundMessage: 'file.notFound',
  };
}

/** `users`, `users/me`, `users/count` or `users/:id`. `inEnvelope`: the list of users is a page in an envelope. */
export function usersRoute(identifier: string | undefined, inEnvelope: boolean): QueryRoute {
  const at = (path: string, action: string) =>
    ({ path, uid: userType, action: `${userType}.${action}`, addition: null }) as const;
  if (identifier === undefined) return { kind: 'list', ...at('users', 'find'), ...(inEnvelope ? page : bare) };
  if (identifier === 'me') return { kind: 'me', ...at('users/me', 'me') };
  if (identifier === 'count') return { kind: 'count', ...at('users/count', 'count') };
  return {
    kind: 'entry',
    ...at('users/:id', 'findOne'),
    identifier,
    member: null,
    ignoresQuery: false,
    onlyPopulates: false,
    notFoundMessage: null,
  };
}

/** `users-permissions/roles` or `users-permissions/roles/:id`. */
export function rolesRoute(identifier: string | undefined): ListRoute | EntryRoute {
  const path = 'users-permissions/roles';
  const base = { uid: roleType, addition: null, ignoresQuery: true } as const;
  if (identifier === undefined) {
    return { kind: 'list', ...base, path, action: `${roleType}.find`, form: 'bare', member: 'roles' };
  }
  return {
    kind: 'entry',
    ...base,
    path: `${path}/:id`,
    action: `${roleType}.findOne`,
    identifier,
    member: 'role',
    onlyPopulates: false,
    notFoundMessage: 'Role not found',
  };
}

export const localesRoute: ListRoute = {
  kind: 'list',
  path: 'i18n/locales',
  uid: localeType,
  action: 'plugin::i18n.locales.listLocales',
  addition: null,
  form: 'bare',
  member: null,
  ignoresQuery: true,
};

/** The read routes of Strapi's content-type builder. Null for other paths below `content-type-builder`. */
export function schemasRoute(describes: string | undefined, uid: string | undefined): SchemasRoute | null {
  if (describes !== 'content-types' && describes !== 'components') return null;
  const one = describes === 'components' ? 'getComponent' : 'getContentType';
  const controller = `plugin::content-type-builder.${describes}`;
  const path = `content-type-builder/${describes}`;
  return uid === undefined
    ? { kind: 'schemas', path, action: `${controller}.${one}s`, describes, identifier: undefined }
    : { kind: 'schemas', path: `${path}/:uid`, action: `${controller}.${one}`, describes, identifier: uid };
}

const page = { form: 'page', member: null, ignoresQuery: false } as const;
const bare = { form: 'bare', member: null, ignoresQuery: false } as const;

/** Splits a path at its first question mark. */
export function splitQuery(path: string): [pathname: string, queryString: string] {
  const mark = path.indexOf('?');
  return mark < 0 ? [path, ''] : [path.slice(0, mark), path.slice(mark + 1)];
}

/** Parameters that a site adds to the queries of one route. Frozen and shared by all requests. */
export interface QueryAddition {
  /** Parameters for queries that lack them. An empty parameter is present. */
  readonly defaults: RawQuery;
  /** Parameters that replace those of the query. Null removes a parameter. */
  readonly set: RawQuery;
  /**
   * Rewrites the query of each request, after parameters are added. It may read any value, so queries of its route are
   * not prepared.
   */
  readonly hook?: (query: RawQuery, role: string) => RawQuery;
}

/** Additions by `additionKey`. */
export type Additions = ReadonlyMap<string, QueryAddition>;

export function additionKey(uid: string, action: string): string {
  return `${uid} ${action}`;
}

/** Returns a query with the parameters of its route. Whole parameters are replaced; nothing is merged. */
export function addTo(query: RawQuery, { defaults, set, hook }: QueryAddition, role: string): RawQuery {
  const added = { ...defaults, ...query, ...set };
  for (const [name, value] of Object.entries(set)) if (value === null) delete added[name];
  return hook ? hook(added, role) : added;
}

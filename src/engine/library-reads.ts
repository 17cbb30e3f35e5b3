/** Reads by name and query object, as the library and custom routes do. */
import { NotFoundError, withMissingPermission } from '../core/errors.ts';
import { allPermissions, type Caller, tokenRole } from '../model/access/permissions.ts';
import type { Found, LibraryRead, Query } from '../query/library.ts';
import { releaseBuffer } from '../query/reply/reply-memory.ts';
import { checkQueryObject } from '../query/syntax/check-object.ts';
import type { Tag } from '../store/tags/tags.ts';
import type { QueryRoute, Route } from './routes/routes.ts';
import type { StoreEngine } from './store-engine.ts';

/** Returns the caller of a read by the library. Without a role it may read everything that is not private. */
export function callerOf({ access }: StoreEngine, role: string | undefined): Caller {
  const permissions = role === undefined ? allPermissions() : access.role(role);
  return { permissions, role: role ?? tokenRole, userId: null };
}

/** Finds the entries of a collection by its plural name, or the one of a single type by its singular name. */
export function find(engine: StoreEngine, name: string, query: Query, caller: Caller): Found {
  return read(engine, engine.catalog.routes.find(name), name, query, caller);
}

/** Finds one document of a collection, or one entry of a plugin's type. */
export function findOne(engine: StoreEngine, name: string, identifier: string, query: Query, caller: Caller): Found {
  return read(engine, oneRoute(engine, name, identifier), name, query, caller);
}

/**
 * Returns what the reply to a path depends on, or a find, or a findOne if it names a document. Throws a RequestError for
 * an unknown name.
 */
export function tagsOfRead(engine: StoreEngine, read: string | LibraryRead, caller: Caller): ReadonlySet<Tag> {
  if (typeof read === 'string') return engine.tagsOfPath(read, caller);
  const { name, documentId, query = {} } = read;
  const route = documentId === undefined ? engine.catalog.routes.find(name) : oneRoute(engine, name, documentId);
  if (!route || route.kind === 'schemas') throw noSuchType(name);
  checkQueryObject(query);
  return engine.tagsOfQuery(uniform(route), { ...query }, caller);
}

function oneRoute(engine: StoreEngine, name: string, identifier: string): QueryRoute {
  const route = engine.catalog.routes.findParts([...name.split('/'), identifier]);
  if (route?.kind !== 'document' && route?.kind !== 'entry') throw noSuchType(name);
  return route;
}

function read(engine: StoreEngine, route: Route | null, name: string, query: Query, caller: Caller): Found {
  if (!route || route.kind === 'schemas') throw noSuchType(name);
  checkQueryObject(query);
  const found = parsedBody(engine, uniform(route), query, caller);
  return route.kind === 'entry' ? { data: found, meta: {} } : found;
}

/** A program gets one form of reply, whatever form the route has over HTTP. */
function uniform(route: QueryRoute): QueryRoute {
  if (route.kind === 'list') return { ...route, form: 'page', member: null, ignoresQuery: false };
  return route.kind === 'entry' ? { ...route, notFoundMessage: 'Not Found' } : route;
}

/**
 * Parses the body of the reply, so that programs get copies that they may change. Programs have full access, so errors
 * name the permission that a role lacks.
 */
function parsedBody(engine: StoreEngine, route: QueryRoute, query: Query, caller: Caller): Found {
  try {
    const body = engine.read(route, { ...query }, caller);
    const found = JSON.parse(body.toString());
    releaseBuffer(body);
    return found;
  } catch (error) {
    throw withMissingPermission(error);
  }
}

function noSuchType(name: string): NotFoundError {
  return new NotFoundError(`No content type is served as ${JSON.stringify(name)}`);
}

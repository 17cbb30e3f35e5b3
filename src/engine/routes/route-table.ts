import { nearestName } from '../../core/suggest.ts';
import type { PermissionSet } from '../../model/access/permissions.ts';
import { fileType, localeType, roleType, routeOf, type Schema, userType } from '../../model/schema/schema.ts';
import {
  type Additions,
  actionName,
  additionKey,
  type ConfigurableRoute,
  collectionRoute,
  type DocumentRoute,
  documentRoute,
  everyLocaleOf,
  filesRoute,
  type ListRoute,
  localesRoute,
  type QueryRoute,
  type Route,
  rolesRoute,
  type SingleRoute,
  schemasRoute,
  singleRoute,
  usersRoute,
} from './routes.ts';

/** The routes of one of the project's own types. A single type has no documents. */
interface TypeRoutes {
  readonly own: ListRoute | SingleRoute;
  readonly document: DocumentRoute | null;
}

interface RouteOptions {
  /** The list of users is a page in an envelope. */
  readonly usersInEnvelope: boolean;
  /** A number in the place of a documentId is the id of a row. */
  readonly findsById: boolean;
  /** Returns whether a query string makes the route of a localized single type a list. */
  listsEveryLocale(text: string): boolean;
  readonly additions?: Additions;
}

/** Number of names up to which misspelled ones are looked for, because anyone may send such paths. 200 take 0.5 ms. */
const maxComparedNames = 200;

/** Finds the route of a path below the prefix. */
export class RouteTable {
  /** The project's own types, by the first part of the path in lower case. */
  readonly #types = new Map<string, TypeRoutes>();
  readonly #schema: Schema;
  readonly #usersInEnvelope: boolean;
  readonly #findsById: boolean;
  readonly #listsEveryLocale: RouteOptions['listsEveryLocale'];
  readonly #additions: Additions;

  constructor(schema: Schema, options: RouteOptions) {
    this.#schema = schema;
    this.#usersInEnvelope = options.usersInEnvelope;
    this.#findsById = options.findsById;
    this.#listsEveryLocale = options.listsEveryLocale;
    this.#additions = options.additions ?? new Map();
    for (const type of schema.types.values()) {
      const { uid, kind } = type;
      if (!uid.startsWith('api::') || kind === 'component') continue;
      const path = routeOf(type).toLowerCase();
      this.#types.set(
        path,
        kind === 'singleType'
          ? { own: this.#extended(singleRoute(path, uid)), document: null }
          : { own: this.#extended(collectionRoute(path, uid)), document: this.#extended(documentRoute(path, uid)) },
      );
    }
  }

  /** Returns the route of a path such as `articles/abc`, which may be percent-encoded. Null if there is none. */
  find(pathname: string): Route | null {
    // most paths are a type's and nothing more: 21 ns, and 208 with the path split into parts
    return this.#types.get(pathname)?.own ?? this.findParts(partsOf(pathname));
  }

  /** Returns the route of a path with a query string: a single type in every locale is a list. */
  findWithQuery(pathname: string, queryString: string): Route | null {
    const route = this.find(pathname);
    if (route?.kind !== 'single' || !this.#listsEveryLocale(queryString)) return route;
    return this.#schema.type(route.uid).localized ? everyLocaleOf(route) : route;
  }

  /** Returns the route of a path that is split at its slashes. Parts are decoded, so a part may contain a slash. */
  findParts([...parts]: readonly string[]): Route | null {
    // a trailing slash changes nothing
    if (parts.at(-1) === '') parts.pop();
    if (parts.length === 0 || parts.length > 3 || parts.includes('')) return null;
    const [, second, third] = parts;
    const first = parts[0].toLowerCase();
    if (first === 'upload' && second === 'files') {
      return this.#has(fileType) ? this.#extended(filesRoute(third)) : null;
    }
    if (first === 'users-permissions' && second === 'roles') return this.#has(roleType) ? rolesRoute(third) : null;
    if (first === 'content-type-builder') return schemasRoute(second?.toLowerCase(), third);
    if (third !== undefined) return null;
    if (first === 'i18n' && second === 'locales') return this.#has(localeType) ? localesRoute : null;
    const type = this.#types.get(first);
    if (type) return second === undefined ? type.own : this.#documentOf(type, second);
    // as in Strapi, a project's own type shadows the plugin's users
    return first === 'users' && this.#has(userType) ? this.#users(second) : null;
  }

  #documentOf({ own, document }: TypeRoutes, identifier: string): DocumentRoute | null {
    if (!document) return null;
    // no documentId of Strapi 4 begins with a digit
    if (this.#findsById && /^\d{1,15}$/.test(identifier)) {
      return { ...document, path: `${own.path}/:id`, key: 'id', identifier };
    }
    return { ...document, identifier };
  }

  /** Returns the path at which summaries list a type. Null for a type that is not served, and for roles and locales. */
  pathOf(uid: string): string | null {
    if (uid === fileType) return 'upload/files';
    if (uid === userType) return this.#types.has('users') ? null : 'users';
    for (const [path, { own }] of this.#types) if (own.uid === uid) return path;
    return null;
  }

  /** Returns the path of the route whose name is nearest to a part of a path, of those that a caller may read, or null. */
  nearest(pathname: string, permissions: PermissionSet): string | null {
    const paths = new Map<string, string>();
    for (const [path, { own }] of this.#types) {
      if (!permissions.allows(own.action)) continue;
      const { singularName } = this.#schema.type(own.uid);
      for (const name of [singularName.toLowerCase(), path]) paths.set(name, path);
    }
    const parts = pathname.toLowerCase().split('/', 4);
    const named = parts.find((part) => paths.has(part));
    if (named !== undefined) return paths.get(named)!;
    if (paths.size > maxComparedNames) return null;
    for (const part of parts.slice(0, 2)) {
      const near = nearestName(part, paths.keys());
      if (near !== null) return paths.get(near)!;
    }
    return null;
  }

  /** Returns the routes whose queries a site may add to: all that take a query. */
  configurable(): ConfigurableRoute[] {
    const types = Array.from(this.#types.values(), ({ own, document }) => [own, ...(document ? [document] : [])]);
    const plugins = [
      ...(this.#has(fileType) ? [filesRoute(undefined), filesRoute('1')] : []),
      ...(this.#has(userType) ? [undefined, '1', 'me', 'count'].map((name) => this.#users(name)) : []),
    ];
    return [...types.flat(), ...plugins].map((route) => ({ uid: route.uid, action: actionName(route), route }));
  }

  /** Returns every route, with an identifier of no entry where there is one. */
  all(): Route[] {
    const isShadowed = this.#types.has('users');
    const ofEntries = this.configurable().filter(({ uid }) => uid !== userType || !isShadowed);
    const kinds = ['content-types', 'components'];
    return [
      ...ofEntries.map(({ route }) => route),
      ...(this.#has(roleType) ? [rolesRoute(undefined), rolesRoute('1')] : []),
      ...(this.#has(localeType) ? [localesRoute] : []),
      ...kinds.flatMap((kind) => [schemasRoute(kind, undefined)!, schemasRoute(kind, '')!]),
    ];
  }

  #users(identifier: string | undefined): QueryRoute {
    return this.#extended(usersRoute(identifier, this.#usersInEnvelope));
  }

  #extended<T extends QueryRoute>(route: T): T {
    const addition = this.#additions.get(additionKey(route.uid, actionName(route)));
    return addition ? { ...route, addition } : route;
  }

  #has(uid: string): boolean {
    return this.#schema.types.has(uid);
  }
}

/** Returns the decoded parts of a path, or none for a path that cannot be decoded. */
function partsOf(pathname: string): string[] {
  const parts = pathname.split('/');
  if (!pathname.includes('%')) return parts;
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return [];
  }
}

import { fileType, localeType, roleType, routeOf, type Schema, userType } from '../model/schema.ts';
import { type Additions, additionKey, type QueryAddition } from '../query/addition.ts';
import type { SchemaRequest } from '../reply/schema-replies.ts';

/** What a path asks for, and the action that it takes. */
export interface Route {
  /** Where it was found, as a template without values: `articles/:documentId`. */
  readonly route: string;
  readonly uid: string;
  readonly action: string;
  /**
   * `list`: the entries of a type; `single`: its one document; `document`: one by documentId; `entry`: one by id;
   * `me`: the user who asks; `count`: how many; `schemas`: no content, but its types.
   */
  readonly read: 'list' | 'single' | 'document' | 'entry' | 'me' | 'count' | 'schemas';
  /** The documentId or id in the path. */
  readonly identifier?: string;
  /** Of a document: the identifier is the id of one of its rows. */
  readonly isById?: boolean;
  /** `page`: in the envelope, one page; `whole`: in the envelope, all; `bare`: a list of all, with nothing around it. */
  readonly list?: 'page' | 'bare' | 'whole';
  /** The reply stands in an object, under this name. */
  readonly under?: string;
  /** Of the query string only `populate` counts, though all of it is checked. */
  readonly onlyPopulates?: boolean;
  /** The query string says nothing to this route. */
  readonly ignoresQuery?: boolean;
  /** Which types are described. The identifier is then a uid. */
  readonly describes?: SchemaRequest['sort'];
  /** What a miss is answered with: a message, or no content at all. By default it is "Not Found". */
  readonly missing?: string | null;
  /** What the site adds to queries that come over HTTP. */
  readonly addition?: QueryAddition;
}

/** A route that takes a query, by the content type and the action that it is configured under. */
export interface ConfigurableRoute {
  readonly uid: string;
  readonly action: string;
  /** A path of the route leads to this target. */
  readonly target: Route;
}

/** The content types that have routes of their own, by the first part of the path. */
export class Routes {
  /** `document` is null for single types. */
  readonly #types = new Map<string, { own: Route; document: Route | null }>();
  readonly #schema: Schema;
  readonly #usersInEnvelope: boolean;
  readonly #findsById: boolean;
  readonly #additions: Additions;

  constructor(schema: Schema, options: { usersInEnvelope: boolean; findsById: boolean; additions?: Additions }) {
    this.#schema = schema;
    this.#usersInEnvelope = options.usersInEnvelope;
    this.#findsById = options.findsById;
    this.#additions = options.additions ?? new Map();
    for (const type of schema.types.values()) {
      const { uid, kind } = type;
      if (!uid.startsWith('api::') || kind === 'component') continue;
      const isSingle = kind === 'singleType';
      const route = routeOf(type).toLowerCase();
      this.#types.set(route, {
        own: this.#extended({ route, uid, action: `${uid}.find`, read: isSingle ? 'single' : 'list', list: 'page' }),
        document: isSingle
          ? null
          : this.#extended({ route: `${route}/:documentId`, uid, action: `${uid}.findOne`, read: 'document' }),
      });
    }
  }

  /** What a path such as `articles/abc` asks for, or null if there is nothing there. */
  find(path: string): Route | null {
    // most paths are a type's and nothing more
    return this.#types.get(path)?.own ?? this.findParts(path.split('/'));
  }

  /** The same of the parts of a path, each a name as it is. */
  findParts([...parts]: readonly string[]): Route | null {
    // as in other routers, a slash at the end changes nothing
    if (parts.at(-1) === '') parts.pop();
    if (parts.length === 0 || parts.length > 3 || parts.includes('')) return null;
    const [, second, third] = parts;
    const first = parts[0].toLowerCase();
    if (first === 'upload' && second === 'files')
      return this.#has(fileType) ? this.#extended(filesTarget(third)) : null;
    if (first === 'users-permissions' && second === 'roles') return this.#has(roleType) ? rolesTarget(third) : null;
    if (first === 'content-type-builder') return schemasTarget(second?.toLowerCase(), third);
    if (third !== undefined) return null;
    if (first === 'i18n' && second === 'locales') return this.#has(localeType) ? localesTarget : null;
    const type = this.#types.get(first);
    // as in Strapi, a project's own type comes before the users of the plugin
    if (!type) return first === 'users' && this.#has(userType) ? this.#extended(this.#users(second)) : null;
    if (second === undefined) return type.own;
    // no documentId begins with a digit there
    if (this.#findsById && type.document && /^\d{1,15}$/.test(second)) {
      return { ...type.document, route: `${type.own.route}/:id`, identifier: second, isById: true };
    }
    return type.document && { ...type.document, identifier: second };
  }

  /** The path that a type is served at, or null. */
  pathOf(uid: string): string | null {
    if (uid === fileType) return 'upload/files';
    if (uid === userType) return this.#types.has('users') ? null : 'users';
    for (const [path, { own }] of this.#types) if (own.uid === uid) return path;
    return null;
  }

  /** The routes whose queries a site may add to: all that take one. */
  configurable(): ConfigurableRoute[] {
    const types = Array.from(this.#types.values(), ({ own, document }) => [own, ...(document ? [document] : [])]);
    const plugins = [
      ...(this.#has(fileType) ? [filesTarget(undefined), filesTarget('1')] : []),
      ...(this.#has(userType) ? [undefined, '1', 'me', 'count'].map((name) => this.#users(name)) : []),
    ];
    return [...types.flat(), ...plugins].map((target) => ({ uid: target.uid, action: actionName(target), target }));
  }

  #extended(target: Route): Route {
    const addition = this.#additions.get(additionKey(target.uid, actionName(target)));
    return addition ? { ...target, addition } : target;
  }

  /** The list of users, whether or not a project's own type has their path. */
  get users(): Route {
    return this.#users(undefined);
  }

  #has(uid: string): boolean {
    return this.#schema.types.has(uid);
  }

  #users(identifier: string | undefined): Route {
    const target = (route: string, action: string) => ({ route, uid: userType, action: `${userType}.${action}` });
    if (identifier === undefined) {
      return { ...target('users', 'find'), read: 'list', list: this.#usersInEnvelope ? 'page' : 'bare' };
    }
    if (identifier === 'me') return { ...target('users/me', 'me'), read: 'me', missing: null };
    if (identifier === 'count') return { ...target('users/count', 'count'), read: 'count' };
    return { ...target('users/:id', 'findOne'), read: 'entry', identifier, missing: null };
  }
}

/** The last part of the action: `find`. */
function actionName({ action }: Route): string {
  return action.slice(action.lastIndexOf('.') + 1);
}

/** Strapi 4 answers a localized single type that is asked for in every locale with a list of its rows. */
export function inEveryLocale(target: Route): Route {
  return { ...target, read: 'list', list: 'whole' };
}

function filesTarget(identifier: string | undefined): Route {
  const action = 'plugin::upload.content-api';
  if (identifier === undefined) {
    return { route: 'upload/files', uid: fileType, action: `${action}.find`, read: 'list', list: 'bare' };
  }
  return {
    route: 'upload/files/:id',
    uid: fileType,
    action: `${action}.findOne`,
    read: 'entry',
    identifier,
    onlyPopulates: true,
    missing: 'file.notFound',
  };
}

/** The read routes of Strapi's content-type builder: clients ask for the types first, and then for their content. */
function schemasTarget(sort: string | undefined, uid: string | undefined): Route | null {
  if (sort !== 'content-types' && sort !== 'components') return null;
  const one = sort === 'components' ? 'getComponent' : 'getContentType';
  return {
    route: uid === undefined ? `content-type-builder/${sort}` : `content-type-builder/${sort}/:uid`,
    uid: '',
    action: `plugin::content-type-builder.${sort}.${uid === undefined ? `${one}s` : one}`,
    read: 'schemas',
    describes: sort,
    identifier: uid,
  };
}

const localesTarget: Route = {
  route: 'i18n/locales',
  uid: localeType,
  action: 'plugin::i18n.locales.listLocales',
  read: 'list',
  list: 'bare',
  ignoresQuery: true,
};

function rolesTarget(identifier: string | undefined): Route {
  const target = { uid: roleType, list: 'bare', ignoresQuery: true } as const;
  const route = 'users-permissions/roles';
  return identifier === undefined
    ? { ...target, route, action: `${roleType}.find`, read: 'list', under: 'roles' }
    : {
        ...target,
        route: `${route}/:id`,
        action: `${roleType}.findOne`,
        read: 'entry',
        under: 'role',
        identifier,
        missing: 'Role not found',
      };
}

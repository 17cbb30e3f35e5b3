import { fileType, localeType, roleType, type Schema, userType } from './schema/schema.ts';

/** What a path asks for, and the action that it takes. */
export interface Target {
  readonly uid: string;
  readonly action: string;
  /**
   * `list`: the entries of a type; `single`: its one document; `document`: one by documentId; `entry`: one by id;
   * `me`: the user who asks; `count`: how many.
   */
  readonly read: 'list' | 'single' | 'document' | 'entry' | 'me' | 'count';
  /** The documentId or id in the path. */
  readonly identifier?: string;
  /** `page`: in the envelope, one page; `bare`: a list of all, with nothing around it. */
  readonly list?: 'page' | 'bare';
  /** The reply stands in an object, under this name. */
  readonly under?: string;
  /** Of the query string only `populate` counts, though all of it is checked. */
  readonly onlyPopulates?: boolean;
  /** The query string says nothing to this route. */
  readonly ignoresQuery?: boolean;
  /** What a miss is answered with: a message, or no content at all. By default it is "Not Found". */
  readonly missing?: string | null;
}

/** What stands behind the type's own path in a template. */
const placeholders: Record<Target['read'], string> = {
  list: '',
  single: '',
  document: '/:documentId',
  entry: '/:id',
  me: '/me',
  count: '/count',
};

/** The content types that have routes of their own, by the first part of the path. */
export class Routes {
  readonly #types = new Map<string, { uid: string; single: boolean }>();
  readonly #schema: Schema;
  readonly #usersInEnvelope: boolean;

  constructor(schema: Schema, options: { usersInEnvelope: boolean }) {
    this.#schema = schema;
    this.#usersInEnvelope = options.usersInEnvelope;
    for (const { uid, kind, singularName, pluralName } of schema.types.values()) {
      if (!uid.startsWith('api::') || kind === 'component') continue;
      const single = kind === 'singleType';
      this.#types.set((single ? singularName : pluralName).toLowerCase(), { uid, single });
    }
  }

  /** What a path such as `articles/abc` asks for, or null if there is nothing there. */
  find(path: string): Target | null {
    // as in other routers, a slash at the end changes nothing
    const parts = path.replace(/\/$/, '').split('/');
    const [first, second, ...rest] = [parts[0].toLowerCase(), ...parts.slice(1)];
    if (rest.length > (first === 'upload' || first === 'users-permissions' ? 1 : 0) || parts.includes('')) return null;
    if (first === 'upload') return second === 'files' && this.#has(fileType) ? this.#files(rest[0]) : null;
    if (first === 'i18n') {
      const action = 'plugin::i18n.locales.listLocales';
      const target: Target = { uid: localeType, action, read: 'list', list: 'bare', ignoresQuery: true };
      return second === 'locales' && this.#has(localeType) ? target : null;
    }
    if (first === 'users-permissions') {
      return second === 'roles' && this.#has(roleType) ? this.#roles(rest[0]) : null;
    }
    if (first === 'users' && this.#has(userType)) return this.#users(second);
    const type = this.#types.get(first);
    if (!type) return null;
    const { uid, single } = type;
    if (second === undefined) {
      return { uid, action: `${uid}.find`, read: single ? 'single' : 'list', list: 'page' };
    }
    return single ? null : { uid, action: `${uid}.findOne`, read: 'document', identifier: second };
  }

  #has(uid: string): boolean {
    return this.#schema.types.has(uid);
  }

  #files(identifier: string | undefined): Target {
    const action = 'plugin::upload.content-api';
    return identifier === undefined
      ? { uid: fileType, action: `${action}.find`, read: 'list', list: 'bare' }
      : {
          uid: fileType,
          action: `${action}.findOne`,
          read: 'entry',
          identifier,
          onlyPopulates: true,
          missing: 'file.notFound',
        };
  }

  #roles(identifier: string | undefined): Target {
    const target = { uid: roleType, list: 'bare', ignoresQuery: true } as const;
    return identifier === undefined
      ? { ...target, action: `${roleType}.find`, read: 'list', under: 'roles' }
      : {
          ...target,
          action: `${roleType}.findOne`,
          read: 'entry',
          under: 'role',
          identifier,
          missing: 'Role not found',
        };
  }

  #users(identifier: string | undefined): Target {
    const list = this.#usersInEnvelope ? 'page' : 'bare';
    if (identifier === undefined) return { uid: userType, action: `${userType}.find`, read: 'list', list };
    if (identifier === 'me') return { uid: userType, action: `${userType}.me`, read: 'me', missing: null };
    if (identifier === 'count') return { uid: userType, action: `${userType}.count`, read: 'count' };
    return { uid: userType, action: `${userType}.findOne`, read: 'entry', identifier, missing: null };
  }

  /** Where a target was found, as a template without values: `articles/:documentId`. */
  template({ uid, read }: Target): string {
    if (uid === localeType) return 'i18n/locales';
    if (uid === roleType) return `users-permissions/roles${placeholders[read]}`;
    return `${this.pathOf(uid)}${placeholders[read]}`;
  }

  /** The path that a type is served at, or null. */
  pathOf(uid: string): string | null {
    if (uid === fileType) return 'upload/files';
    if (uid === userType) return 'users';
    for (const [path, type] of this.#types) if (type.uid === uid) return path;
    return null;
  }
}

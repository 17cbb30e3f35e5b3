import { fileType, localeType, type Schema, userType } from './schema/schema.ts';

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
}

/** The content types that have routes of their own, by the first part of the path. */
export class Routes {
  readonly #types = new Map<string, { uid: string; single: boolean }>();
  readonly #usersInEnvelope: boolean;

  constructor(schema: Schema, options: { usersInEnvelope: boolean }) {
    this.#usersInEnvelope = options.usersInEnvelope;
    for (const { uid, kind, singularName, pluralName } of schema.types.values()) {
      if (!uid.startsWith('api::') || kind === 'component') continue;
      const single = kind === 'singleType';
      this.#types.set(single ? singularName : pluralName, { uid, single });
    }
  }

  /** What a path such as `articles/abc` asks for, or null if there is nothing there. */
  find(path: string): Target | null {
    // as in other routers, a slash at the end changes nothing
    const parts = path.replace(/\/$/, '').split('/');
    const [first, second, ...rest] = parts;
    if (rest.length > (first === 'upload' ? 1 : 0) || parts.includes('')) return null;
    if (first === 'upload') return second === 'files' ? this.#files(rest[0]) : null;
    if (first === 'i18n') {
      const action = 'plugin::i18n.locales.listLocales';
      return second === 'locales' ? { uid: localeType, action, read: 'list', list: 'bare' } : null;
    }
    if (first === 'users') return this.#users(second);
    const type = this.#types.get(first);
    if (!type) return null;
    const { uid, single } = type;
    if (second === undefined) {
      return { uid, action: `${uid}.find`, read: single ? 'single' : 'list', list: 'page' };
    }
    return single ? null : { uid, action: `${uid}.findOne`, read: 'document', identifier: second };
  }

  #files(identifier: string | undefined): Target {
    const action = 'plugin::upload.content-api';
    return identifier === undefined
      ? { uid: fileType, action: `${action}.find`, read: 'list', list: 'bare' }
      : { uid: fileType, action: `${action}.findOne`, read: 'entry', identifier };
  }

  #users(identifier: string | undefined): Target {
    const list = this.#usersInEnvelope ? 'page' : 'bare';
    if (identifier === undefined) return { uid: userType, action: `${userType}.find`, read: 'list', list };
    if (identifier === 'me') return { uid: userType, action: `${userType}.me`, read: 'me' };
    if (identifier === 'count') return { uid: userType, action: `${userType}.count`, read: 'count' };
    return { uid: userType, action: `${userType}.findOne`, read: 'entry', identifier };
  }

  /** The path that a type is served at, or null. */
  pathOf(uid: string): string | null {
    if (uid === fileType) return 'upload/files';
    if (uid === userType) return 'users';
    for (const [path, type] of this.#types) if (type.uid === uid) return path;
    return null;
  }
}

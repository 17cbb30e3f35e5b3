/** The types of a module that the setting `extend` names. */
import type { Found, Query } from '../../query/library.ts';

/** The part of the caller's identity that an extension may know. */
export interface CallerContext {
  /** Type of the caller's role: `public` without credentials, `token` for an API token. */
  readonly role: string;
}

/**
 * Rewrites the query of a request before it is bound. Receives a copy, which it may modify, and returns the query to
 * answer. The result must depend only on query and role, because replies are cached by URL and permissions. It is bound
 * with the caller's permissions.
 */
// biome-ignore lint/suspicious/noExplicitAny: a parsed query string is plain data of any shape
export type QueryHook = (query: any, caller: CallerContext) => Query;

/** The argument of a custom route's handler. */
export interface HandlerContext extends CallerContext {
  /** The decoded parameters of the path. */
  // biome-ignore lint/suspicious/noExplicitAny: wildcards are lists, and only the module knows the path
  readonly params: Readonly<Record<string, any>>;
  /** The parsed query string. */
  // biome-ignore lint/suspicious/noExplicitAny: a parsed query string is plain data of any shape
  readonly query: Record<string, any>;
  /** Finds entries of a collection, or the entry of a single type, with the caller's permissions. */
  find(name: string, query?: Query): Found;
  /** Finds one document of a collection with the caller's permissions. */
  findOne(name: string, documentId: string, query?: Query): Found;
  /** Creates a reply with a status, headers or a body other than JSON. */
  reply(parts: ReplyParts): CustomReply;
}

/** The parts of a reply. A string or bytes are sent as they are, any other body as JSON. */
export interface ReplyParts {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A reply that `HandlerContext.reply` creates. */
export class CustomReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;

  constructor({ status = 200, headers = {}, body }: ReplyParts) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** A route that the site adds below the prefix. */
export interface CustomRoute {
  /** The only method. A GET route also answers HEAD. */
  readonly method?: 'GET';
  /** A path pattern of Express 5, relative to the prefix: `/pages/by-slug/:slug`. */
  readonly path: string;
  /** The permission that a caller needs, such as `api::page.page.findBySlug`. Without it, anyone may call the route. */
  readonly action?: string;
  /** `Cache-Control` of replies with status 200. With credentials, it needs `private` or `no-store` to apply. */
  readonly cacheControl?: string;
  /** Returns the value to send as JSON, or a `reply`, or a promise of either. Undefined is a 404. */
  handler(context: HandlerContext): unknown;
}

export interface Extension {
  /** Query hooks by uid of the content type and action, as in the setting `routes`. */
  readonly routes?: Readonly<Record<string, Readonly<Record<string, { readonly query: QueryHook }>>>>;
  readonly customRoutes?: readonly CustomRoute[];
}

/** Returns the extension unchanged. Gives editors its types. */
export function defineExtension(extension: Extension): Extension {
  return extension;
}

/** What a module named by the setting `extend` exports. */
import type { Found, Query } from '../query/library.ts';

/** Who asks, as far as an extension may know. */
export interface Asking {
  /** Type of the caller's role: `public` without credentials, `token` for an API token. */
  readonly role: string;
}

/**
 * Rewrites the query of a request before it is bound. It gets a copy of its own, which it may change, and returns the
 * query to answer. The result must depend on query and role alone, because replies are cached by URL and rights. What
 * the caller may read does not change.
 */
// biome-ignore lint/suspicious/noExplicitAny: a parsed query string is plain data of any shape
export type QueryHook = (query: any, asking: Asking) => Query;

/** What a handler of a custom route gets. */
export interface HandlerContext extends Asking {
  /** The named parts of the path, decoded. */
  // biome-ignore lint/suspicious/noExplicitAny: a wildcard gives a list, and the path is known to the module only
  readonly params: Readonly<Record<string, any>>;
  /** The parsed query string. */
  // biome-ignore lint/suspicious/noExplicitAny: a parsed query string is plain data of any shape
  readonly query: Record<string, any>;
  /** Finds the entries of a collection, or the one of a single type, with the rights of the caller. */
  find(name: string, query?: Query): Found;
  /** Finds one document of a collection with the rights of the caller. */
  findOne(name: string, documentId: string, query?: Query): Found;
  /** Makes a reply with a status, headers or a body that is not JSON. */
  reply(parts: ReplyParts): CustomReply;
}

/** A reply in parts. A text or bytes are sent as they are; any other body is sent as JSON. */
export interface ReplyParts {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What `reply` makes. */
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

/** A route of the site's own, below the prefix. */
export interface CustomRoute {
  /** Lectern only reads; a GET route answers HEAD too. */
  readonly method?: 'GET';
  /** A pattern in the syntax of Express 5, below the prefix: `/pages/by-slug/:slug`. */
  readonly path: string;
  /** Action that the caller must be permitted, such as `api::page.page.findBySlug`. Anyone may call without it. */
  readonly action?: string;
  /** `Cache-Control` of replies with status 200 to callers without credentials. */
  readonly cacheControl?: string;
  /** Returns what is sent as JSON, or a `reply`. Undefined is answered with 404. */
  handler(context: HandlerContext): unknown;
}

export interface Extension {
  /** Query hooks by uid of the content type and action, as in the setting `routes`. */
  readonly routes?: Readonly<Record<string, Readonly<Record<string, { readonly query: QueryHook }>>>>;
  readonly customRoutes?: readonly CustomRoute[];
}

/** Returns the extension as it is, so that editors know its types. */
export function defineExtension(extension: Extension): Extension {
  return extension;
}

import express, { type RequestHandler, type Router } from 'express';
import { ForbiddenError, NotFoundError, RequestError, UnauthorizedError } from '../../core/errors.ts';
import { sendError } from '../../http/error-replies.ts';
import { bearer } from '../../model/access/authenticate.ts';
import { digestOfToken } from '../../model/access/definitions.ts';
import type { AdminRight, AdminToken } from '../../model/settings/contents.ts';

/** A route of the admin port that needs a token. */
export interface AdminRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** In the syntax of Express, such as `/_contents/:name`. */
  readonly path: string;
  /** The token needs it. Of a list, it needs all. */
  readonly right: AdminRight | readonly AdminRight[];
  /** Answers a request whose token has the right. A RequestError that it throws or rejects with becomes the reply. */
  readonly handle: RequestHandler;
}

/**
 * Creates a router of the routes. Answers other methods of their paths with 405. On other paths, except for those in
 * `readable`, answers methods other than GET and HEAD with 404.
 */
export function createAdminRouter(
  routes: readonly AdminRoute[],
  tokens: AdminTokens,
  readable: ReadonlySet<string>,
): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const { method, path, right, handle } of routes) {
    const authorize: RequestHandler = ({ headers }, response, next) => {
      response.setHeader('Cache-Control', 'no-store');
      for (const each of [right].flat()) tokens.authorize(headers.authorization, each);
      next();
    };
    router[method](path, authorize, handle);
  }
  for (const [path, methods] of methodsByPath(routes)) {
    router.all(path, (request, response) => {
      response.setHeader('Allow', methods.join(', '));
      const message = `Method ${request.method} is not allowed here: use ${methods.join(' or ')}`;
      sendError(request, response, new RequestError(405, 'MethodNotAllowedError', message));
    });
  }
  // reads of other paths get a 404 from the app, which knows no other method
  router.use(({ method, path }, _response, next) => {
    const isRead = method === 'GET' || method === 'HEAD';
    next(isRead || readable.has(path) ? undefined : new NotFoundError(`There is no ${method} ${path} on this port`));
  });
  return router;
}

function methodsByPath(routes: readonly AdminRoute[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
  return methods;
}

/** The tokens of the setting `admin.tokens`. */
export class AdminTokens {
  readonly #byDigest: ReadonlyMap<string, AdminToken>;

  constructor(tokens: readonly AdminToken[]) {
    this.#byDigest = new Map(tokens.map((token) => [token.sha256.toLowerCase(), token]));
  }

  /**
   * Returns the token of an Authorization header. Throws a ForbiddenError if no configured token has the right or this
   * one lacks it, and an UnauthorizedError if the header has no configured token.
   */
  authorize(authorization: string | undefined, right: AdminRight): AdminToken {
    if (![...this.#byDigest.values()].some(({ rights }) => rights.includes(right))) {
      throw new ForbiddenError(`No token may do this: give one in admin.tokens the right "${right}"`);
    }
    const token = this.#find(authorization);
    if (!token) throw new UnauthorizedError('Send a token of admin.tokens as "Authorization: Bearer TOKEN"');
    if (token.rights.includes(right)) return token;
    throw new ForbiddenError(`The token "${token.name}" lacks the right "${right}" (admin.tokens)`);
  }

  #find(authorization: string | undefined): AdminToken | undefined {
    const credential = authorization === undefined ? null : bearer(authorization);
    return credential === null ? undefined : this.#byDigest.get(digestOfToken(credential));
  }
}

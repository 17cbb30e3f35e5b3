import express, { type RequestHandler, type Router } from 'express';
import { ForbiddenError, NotFoundError, RequestError, UnauthorizedError } from '../../core/errors.ts';
import { sendError } from '../../http/error-replies.ts';
import { bearer } from '../../model/access/authenticate.ts';
import { digestOfToken } from '../../model/access/definitions.ts';
import { type AdminRight, type AdminToken, adminRights } from '../../model/settings/contents.ts';
import { PreviewLimit } from './preview-limit.ts';

/** A route of the admin port that needs a token. */
export interface AdminRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** In the syntax of Express, such as `/_contents/:name`. */
  readonly path: string;
  /** The token needs it. Of a list, it needs all. Null: any right. */
  readonly right: AdminRight | readonly AdminRight[] | null;
  /**
   * Whether the right `previews` may take the place of the first one, for previews. `handle` then asks `PreviewLimit` what
   * the token may do.
   */
  readonly takesPreviews?: boolean;
  /** The header, in lower case, of a signature in place of a token. `handle` then checks it, and there is no token. */
  readonly signedBy?: string;
  /** Answers a request whose token, `response.locals.token`, has the right. A RequestError that it throws or rejects with becomes the reply. */
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
  for (const { method, path, right, takesPreviews = false, signedBy, handle } of routes) {
    const [first, ...others] = right === null ? [] : [right].flat();
    const sufficient: readonly AdminRight[] =
      first === undefined ? adminRights : takesPreviews ? [first, 'previews'] : [first];
    const authorize: RequestHandler = ({ headers }, response, next) => {
      response.setHeader('Cache-Control', 'no-store');
      if (signedBy !== undefined && headers[signedBy] !== undefined) return next();
      const token = tokens.authorize(headers.authorization, sufficient);
      for (const other of others) tokens.authorize(headers.authorization, [other]);
      if (first !== undefined && !token.rights.includes(first)) PreviewLimit.set(response);
      response.locals.token = token;
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
   * Returns the token of an Authorization header. Throws a ForbiddenError if no configured token has one of the rights or
   * this one lacks them, and an UnauthorizedError if the header has no configured token.
   */
  authorize(authorization: string | undefined, sufficient: readonly AdminRight[]): AdminToken {
    const isSufficient = ({ rights }: AdminToken) => sufficient.some((right) => rights.includes(right));
    const names = sufficient.map((right) => `"${right}"`).join(' or ');
    if (![...this.#byDigest.values()].some(isSufficient)) {
      throw new ForbiddenError(`No token may do this: give one in admin.tokens the right ${names}`);
    }
    const token = this.#find(authorization);
    if (!token) throw new UnauthorizedError('Send a token of admin.tokens as "Authorization: Bearer TOKEN"');
    if (isSufficient(token)) return token;
    throw new ForbiddenError(`The token "${token.name}" lacks the right ${names} (admin.tokens)`);
  }

  #find(authorization: string | undefined): AdminToken | undefined {
    const credential = authorization === undefined ? null : bearer(authorization);
    return credential === null ? undefined : this.#byDigest.get(digestOfToken(credential));
  }
}

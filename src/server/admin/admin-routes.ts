import express, { type RequestHandler, type Router } from 'express';
import { NotFoundError, RequestError } from '../../core/errors.ts';
import { sendError } from '../../http/error-replies.ts';
import type { AdminRight } from '../../model/settings/contents.ts';
import type { AdminTokens } from './admin-tokens.ts';

/** A route of the admin port that changes something, or tells what only some may know. */
export interface AdminRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** In the syntax of Express, such as `/_contents/:name`. */
  readonly path: string;
  readonly right: AdminRight;
  /** Answers a request of a token with the right. A RequestError that it throws or rejects with is the reply. */
  readonly handle: RequestHandler;
}

/**
 * Creates a router of the routes. Other methods of their paths get a 405, and methods that change something a 404
 * elsewhere, except for the paths in `readable`, which are answered otherwise.
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
      tokens.authorize(headers.authorization, right);
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

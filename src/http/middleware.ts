import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHandler, type Responder } from './content-handler.ts';
import { mountedPath } from './prefix.ts';

/** An Express middleware of any Express version. Declared here so that users need no types of Express. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Options of `Content.router`. */
export interface RouterOptions {
  /** Calls `next()` for URLs that are not content routes, and for methods other than GET and HEAD. */
  next?: boolean;
}

/** Content that can be mounted in an Express app. */
export interface RoutedContent extends Responder {
  /** Whether a path below the prefix matches a content route. The entry need not exist. */
  hasRoute(path: string): boolean;
}

/** Creates an Express middleware for `app.use('/api', middleware)`. It can be mounted at any path. */
export function createMiddleware(content: RoutedContent, options: RouterOptions = {}): Middleware {
  const handle = createHandler(content);
  const isContent = ({ method, url }: IncomingMessage) =>
    (method === 'GET' || method === 'HEAD') && content.hasRoute(mountedPath(url ?? '/'));
  return (request, response, next) => {
    if (options.next && !isContent(request)) next();
    else handle(request, response);
  };
}

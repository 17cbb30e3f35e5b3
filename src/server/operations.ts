import type { RequestHandler } from 'express';
import { RequestError } from '../base/errors.ts';
import { createBareApp, sendHealth, withErrorHandlers } from '../http/app.ts';
import { type RequestHooks, sendError } from '../http/router.ts';
import type { Metrics } from './metrics.ts';

/** What is asked by those who run the server: whether it lives, whether it serves, and how. */
export interface Operations {
  /** Why no content is served; null if it is. */
  unready(): string | null;
  /** Null where they are turned off. */
  readonly metrics: Metrics | null;
}

/** Handlers by path. */
export function operationHandlers({ unready, metrics }: Operations): Record<string, RequestHandler> {
  const ready: RequestHandler = (request, response) => {
    const reason = unready();
    if (reason !== null) return void sendError(request, response, unavailable(reason));
    response.setHeader('Cache-Control', 'no-store');
    response.json({ ready: true });
  };
  const handlers: Record<string, RequestHandler> = { '/_health': sendHealth, '/_ready': ready };
  if (metrics) {
    handlers['/_metrics'] = async (_request, response) => {
      const text = await metrics.text();
      response.setHeader('Content-Type', metrics.contentType);
      response.setHeader('Cache-Control', 'no-store');
      response.end(text);
    };
  }
  return handlers;
}

/** One handler for several paths, for what comes before an app. */
export function atPaths(handlers: Record<string, RequestHandler>): RequestHandler {
  const known = new Map(Object.entries(handlers));
  return (request, response, next) => {
    const handler = request.method === 'GET' || request.method === 'HEAD' ? known.get(request.path) : undefined;
    if (handler) return handler(request, response, next);
    next();
  };
}

/** An app with `before` and nothing else, which answers with `error`. */
export function appOf(
  before: readonly RequestHandler[],
  error: () => RequestError,
  failed: RequestHooks['onError'],
): ReturnType<typeof createBareApp> {
  return withErrorHandlers(createBareApp(before), error, failed);
}

/** 503: not now. */
export function unavailable(reason: string): RequestError {
  return new RequestError(503, 'ServiceUnavailableError', reason);
}

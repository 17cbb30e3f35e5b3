import type { RequestHandler } from 'express';
import { Registry } from 'prom-client';
import type { Freshness } from '../content/registry/content-source.ts';
import type { PinnedVersion } from '../content/versions/version-history.ts';
import { RequestError } from '../core/errors.ts';
import { createBareApp, sendHealth, withErrorHandlers } from '../http/app.ts';
import type { RequestHooks } from '../http/content-handler.ts';
import { sendError } from '../http/error-replies.ts';
import { errorReply, type Reply } from '../query/reply/reply.ts';
import type { ReloadFailure } from './reloads.ts';

const metricsType = new Registry().contentType;

/** Whether a process serves content. */
export interface Readiness {
  /** The reason why no content is served, or null if the server is ready. */
  readonly unready: string | null;
  /** Why the last reload failed, or null if it did not. */
  readonly reload: ReloadFailure | null;
  /** Why the journal takes no more changes, or null. */
  readonly journal: string | null;
  /** The contents that serve a pinned version. */
  readonly pinned: readonly (PinnedVersion & { readonly content: string })[];
  /** The contents that follow a source, and how fresh they are. */
  readonly sources: readonly ReportedSource[];
}

/** How fresh a content is, with ages in seconds and times in ISO 8601. */
export interface ReportedSource {
  readonly content: string;
  readonly source: string;
  readonly readAt: string | null;
  readonly ageSeconds: number | null;
  readonly lagSeconds: number | null;
  readonly error?: { readonly failedAt: string; readonly message: string };
  readonly failuresInARow: number;
}

/** The state behind the health, readiness and metrics endpoints. */
export interface Operations {
  readiness(): Readiness | Promise<Readiness>;
  /** Returns how fresh the content of this name is, as everyone may see it, or null if it follows no source. */
  readonly freshness: (content: string) => Freshness | null | Promise<Freshness | null>;
  /** Returns the metrics in the text format of Prometheus. Null if metrics are turned off. */
  readonly metrics: (() => Promise<string>) | null;
}

/** Returns the handlers of the operational endpoints, by path. */
export function operationHandlers(operations: Operations): Record<string, RequestHandler> {
  const ready: RequestHandler = async (request, response) => {
    const { unready: reason, reload, journal, pinned, sources } = await operations.readiness();
    if (reason !== null) return void sendError(request, response, unavailable(reason));
    response.setHeader('Cache-Control', 'no-store');
    response.json({
      ready: true,
      reload: reload ?? undefined,
      journal: journal ?? undefined,
      pinned: pinned.length > 0 ? pinned : undefined,
      sources: sources.length > 0 ? sources : undefined,
    });
  };
  const { metrics } = operations;
  const handlers: Record<string, RequestHandler> = { '/_health': sendHealth, '/_ready': ready };
  if (metrics) {
    handlers['/_metrics'] = async (_request, response) => {
      const text = await metrics();
      response.setHeader('Content-Type', metricsType);
      response.setHeader('Cache-Control', 'no-store');
      response.end(text);
    };
  }
  return handlers;
}

/** Creates a middleware that dispatches GET and HEAD requests by path. */
export function atPaths(handlers: Record<string, RequestHandler>): RequestHandler {
  const known = new Map(Object.entries(handlers));
  return (request, response, next) => {
    const handler = request.method === 'GET' || request.method === 'HEAD' ? known.get(request.path) : undefined;
    if (handler) return handler(request, response, next);
    next();
  };
}

/** Creates an app that runs `before` and answers all other requests with `error`. */
export function appOf(
  before: readonly RequestHandler[],
  error: () => RequestError,
  onError: RequestHooks['onError'],
): ReturnType<typeof createBareApp> {
  return withErrorHandlers(
    createBareApp(before),
    (request, response) => void sendError(request, response, error()),
    onError,
  );
}

/** Creates a 503 error. */
export function unavailable(reason: string): RequestError {
  return new RequestError(503, 'ServiceUnavailableError', reason);
}

/** Creates a 503 reply with Retry-After. */
export function overloadedReply(reason: string, route?: string): Reply {
  const refused = errorReply(unavailable(reason), route);
  return { ...refused, headers: { ...refused.headers, 'Retry-After': '1' } };
}

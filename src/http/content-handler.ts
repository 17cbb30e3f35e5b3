import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from '../query/reply/reply.ts';
import { type AwaitedContent, hasAtLeast } from './at-least.ts';
import type { Codings } from './codings.ts';
import { sendAllowedMethods, sendFailure } from './error-replies.ts';
import { mountedPath } from './prefix.ts';
import { type HeaderList, noHeaders, sendReply } from './send.ts';
import { routerPlaces, VersionWaits } from './version-waits.ts';

/** Replies to content requests. */
export interface Responder {
  /** Answers a path below the prefix with its query string, such as `articles?sort=title`. */
  answerPath(path: string, options: RequestParts): Reply | Promise<Reply>;
  /** Compresses replies. Without it, replies are sent uncompressed. */
  readonly codings?: Codings | null;
}

/** The parts of a request besides its path. */
export interface RequestParts {
  /** The value of the header `Authorization`. */
  authorization?: string;
  method?: string;
  /** The value of the header `Strapi-Response-Format`: `v4` or `v5` selects the format of that version. */
  responseFormat?: string;
  /** The value of the header `X-Lectern-Role`: the type of a role, which a caller with full access reads as. */
  role?: string;
  /** Whether the header `X-Lectern-Explain` is set. A caller with full access then gets plan and times in headers. */
  explains?: boolean;
}

/** `path` is the path below the prefix. By default it is the path of `request.url`, as in a mounted app. */
type Handler = (request: IncomingMessage, response: ServerResponse, path?: string) => void;

/** What the server does before and after each reply. Content that is mounted in another app uses `defaultHooks`. */
export interface RequestHooks {
  /** Returns the static headers of the reply. Lists are compared by identity: equal headers must be the same list. */
  headers(request: IncomingMessage): HeaderList;
  /** Called with each reply before it is sent. */
  onReply?(reply: Reply): void;
  /** As `SendOptions.refuseBody`. */
  refuseBody?(body: Buffer, response: ServerResponse): Reply | null;
  /**
   * Called when a reply is ready to be sent; it may still wait for its batch (`write-batching.ts`). `milliseconds` is the
   * time since the request was received, and `made` the part of it until the reply existed, before it was compressed.
   */
  onReady?(exchange: Exchange, status: number, route: string | undefined, milliseconds: number, made: number): void;
  /** Called for an unexpected exception. */
  onError(request: IncomingMessage, error: unknown): void;
}

export const defaultHooks: RequestHooks = {
  headers: () => noHeaders,
  onError: ({ method, url }, error) => console.error(`lectern: ${method} ${url}:`, error),
};

/** Creates a handler for content requests. Without `sendUnknown`, unknown routes get the 404 of the content. */
export function createHandler(content: Responder, hooks = defaultHooks, sendUnknown?: SendUnknown): Handler {
  const respond = (path: string, { method, headers }: IncomingMessage): Reply | Promise<Reply> => {
    return content.answerPath(path, partsOf(headers, method));
  };
  const finish = (exchange: Exchange, status: number, route?: string, made?: number) => {
    const milliseconds = performance.now() - exchange.started;
    hooks.onReady?.(exchange, status, route, milliseconds, made ?? milliseconds);
  };
  const sendOptions = { codings: content.codings, refuseBody: hooks.refuseBody };
  const send = (exchange: Exchange, reply: Reply): void | Promise<void> => {
    const { request, response, staticHeaders } = exchange;
    hooks.onReply?.(reply);
    if (reply.nearest !== undefined && sendUnknown) {
      sendUnknown(exchange, reply);
      return finish(exchange, reply.status);
    }
    const status = sendReply(request, response, reply, staticHeaders, sendOptions);
    if (typeof status !== 'number') {
      const made = performance.now() - exchange.started;
      return status.then((resolved) => finish(exchange, resolved, reply.route, made));
    }
    finish(exchange, status, reply.route);
  };
  const fail = (exchange: Exchange, error: unknown) => {
    const { request, response, staticHeaders } = exchange;
    hooks.onError(request, error);
    sendFailure(request, response, staticHeaders);
    finish(exchange, 500);
  };
  return (request, response, path = mountedPath(request.url ?? '/')) => {
    const started = performance.now();
    const exchange: Exchange = { request, response, path, staticHeaders: hooks.headers(request), started };
    const { method = 'GET' } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      return finish(exchange, sendAllowedMethods(request, response, exchange.staticHeaders));
    }
    try {
      const reply = respond(path, request);
      const pending =
        reply instanceof Promise ? reply.then((resolved) => send(exchange, resolved)) : send(exchange, reply);
      pending?.catch((error) => fail(exchange, error));
    } catch (error) {
      fail(exchange, error);
    }
  };
}

/** Returns what a reply depends on besides the path. */
export function partsOf(headers: IncomingMessage['headers'], method: string | undefined): RequestParts {
  const {
    authorization,
    'strapi-response-format': responseFormat,
    'x-lectern-explain': explain,
    'x-lectern-role': role,
  } = headers;
  return {
    authorization,
    method,
    responseFormat: firstOf(responseFormat),
    role: firstOf(role),
    explains: explain === undefined ? undefined : true,
  };
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Answers a path without a route. `reply` is a 404. */
type SendUnknown = (exchange: Exchange, reply: Reply) => void;

/** A request in progress. `path` is the path below the prefix, `started` a `performance.now()` timestamp. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly staticHeaders: HeaderList;
  readonly started: number;
}

/** An Express middleware of any Express version. Declared here so that users need no types of Express. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Options of `Content.router`. */
export interface RouterOptions {
  /** Calls `next()` for URLs that are not content routes, and for methods other than GET and HEAD. */
  next?: boolean;
}

/** Content that can be mounted in an Express app. */
export interface RoutedContent extends Responder, AwaitedContent {
  /** Whether a path below the prefix matches a content route. The entry need not exist. */
  hasRoute(path: string): boolean;
}

/** Creates an Express middleware for `app.use('/api', middleware)`. It can be mounted at any path. */
export function createMiddleware(content: RoutedContent, options: RouterOptions = {}): Middleware {
  const handle = createHandler(content);
  const waits = new VersionWaits(routerPlaces());
  const isContent = ({ method, url }: IncomingMessage) =>
    (method === 'GET' || method === 'HEAD') && content.hasRoute(mountedPath(url ?? '/'));
  return (request, response, next) => {
    if (options.next && !isContent(request)) return next();
    if (!hasAtLeast(request)) return handle(request, response);
    // the app may change the URL back
    const path = mountedPath(request.url ?? '/');
    const answer = () => handle(request, response, path);
    waits.begin({ request, response, content, source: null, answer });
  };
}

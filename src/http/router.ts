import type { IncomingMessage, ServerResponse } from 'node:http';
import { MethodNotAllowedError, RequestError } from '../base/errors.ts';
import { errorReply, type Reply } from '../reply/reply.ts';
import type { Codings } from './codings.ts';
import { type HeaderList, noHeaders, sendReply } from './send.ts';

/** What answers requests: the engine, or a stand-in. */
export interface Answering {
  answer(url: string, options: RequestOptions): Reply | Promise<Reply>;
  /** Compresses replies; nothing is compressed without it. */
  readonly codings?: Codings | null;
}

/** What a request says besides its URL. */
export interface RequestOptions {
  /** The header of that name. */
  authorization?: string;
  method?: string;
  /** The header `Strapi-Response-Format`: `v4` or `v5` gives the form of that version. */
  responseFormat?: string;
  /** The header `X-Lectern-Explain` is there: a caller with full access gets plan and times in headers. */
  explains?: boolean;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What Express takes as a middleware, in any of its versions: its users need no types of Express to name it. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

export const readMethods = 'GET, HEAD, OPTIONS';

/** What a server does with requests besides answering them. In someone's app that is the app's. */
export interface RequestHooks {
  /** The headers that every reply to such a request carries besides its own: the same list for the same headers. */
  headers(request: IncomingMessage): HeaderList;
  /** The reply to send: the one that was made, or another in its place. */
  sending?(response: ServerResponse, reply: Reply): Reply;
  /** Told of each reply, when it has been handed to its connection, and of the URL as the content was asked. */
  sent?(url: string, status: number, route: string | undefined, milliseconds: number, request: IncomingMessage): void;
  /** Told of an exception that nobody expected. */
  failed(request: IncomingMessage, error: unknown): void;
}

export const noHooks: RequestHooks = {
  headers: () => noHeaders,
  failed: ({ method, url }, error) => console.error(`lectern: ${method} ${url}:`, error),
};

/**
 * A handler for everything below one path. Express takes the path at which a handler is mounted off `request.url`;
 * `prefix` is put in its place, so `app.use('/content', handler)` works too, and the engine sees the prefix that it
 * was configured with. Where whole URLs come, `cut` is how much of them it takes the place of. What is no route of the
 * content is a 404.
 */
export function createHandler(content: Answering, prefix: string, surroundings = noHooks, cut = 0): Handler {
  const answer = (url: string, { method, headers }: IncomingMessage): Reply | Promise<Reply> => {
    const { authorization, 'strapi-response-format': format, 'x-lectern-explain': explain } = headers;
    const responseFormat = Array.isArray(format) ? format[0] : format;
    const explains = explain === undefined ? undefined : true;
    return content.answer(url, { authorization, method, responseFormat, explains });
  };
  const sent = ({ request, url, started }: Exchange, status: number, route?: string) =>
    surroundings.sent?.(url, status, route, performance.now() - started, request);
  const send = (exchange: Exchange, made: Reply): void | Promise<void> => {
    const { request, response, around } = exchange;
    const reply = surroundings.sending?.(response, made) ?? made;
    const status = sendReply(request, response, reply, around, content.codings);
    if (typeof status !== 'number') return status.then((known) => sent(exchange, known, reply.route));
    sent(exchange, status, reply.route);
  };
  const fail = (exchange: Exchange, error: unknown) => {
    const { request, response, around } = exchange;
    surroundings.failed(request, error);
    sendFailure(request, response, around);
    sent(exchange, 500);
  };
  return (request, response) => {
    const started = performance.now();
    const url = prefix + withoutOrigin(request.url ?? '/').slice(cut);
    const exchange: Exchange = { request, response, url, around: surroundings.headers(request), started };
    const { method = 'GET' } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      return sent(exchange, answerMethod(request, response, exchange.around));
    }
    try {
      const reply = answer(url, request);
      const sending = reply instanceof Promise ? reply.then((made) => send(exchange, made)) : send(exchange, reply);
      sending?.catch((error) => fail(exchange, error));
    } catch (error) {
      fail(exchange, error);
    }
  };
}

/** A request that is being answered. `url` is what the content is asked, `started` when, as `performance.now()` tells. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: string;
  readonly around: HeaderList;
  readonly started: number;
}

export interface RouterOptions {
  /** Calls `next()` for what is no route of the content, and for methods other than GET and HEAD. */
  next?: boolean;
}

/** Content that can be mounted in an Express app. */
export interface RoutedContent extends Answering {
  /** Whether a URL, the prefix included, is a route of the content, whatever is found there. */
  hasRoute(url: string): boolean;
}

/** The handler as a middleware of Express, for `app.use('/api', middleware)`. */
export function createMiddleware(content: RoutedContent, prefix: string, options: RouterOptions = {}): Middleware {
  const handle = createHandler(content, prefix);
  const isContent = ({ method, url }: IncomingMessage) =>
    (method === 'GET' || method === 'HEAD') && content.hasRoute(prefix + withoutOrigin(url ?? '/'));
  return (request, response, next) => {
    if (options.next && !isContent(request)) next();
    else handle(request, response);
  };
}

/** Answers a method that does not read: OPTIONS says which do, any other is refused. Gives the status. */
export function answerMethod(
  request: IncomingMessage,
  response: ServerResponse,
  around: HeaderList = noHeaders,
): number {
  response.setHeader('Allow', readMethods);
  const { method = '' } = request;
  if (method !== 'OPTIONS') return sendError(request, response, new MethodNotAllowedError(method), around);
  sendReply(request, response, { status: 204, headers: {}, body: Buffer.alloc(0) }, around);
  return 204;
}

/** Sends a refusal and gives its status. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: RequestError,
  around: HeaderList = noHeaders,
): number {
  sendReply(request, response, errorReply(error), around);
  return error.status;
}

/** Answers where an exception was met that nobody expected: its text is not for the caller. */
export function sendFailure(request: IncomingMessage, response: ServerResponse, around: HeaderList = noHeaders): void {
  if (response.headersSent) response.destroy();
  else sendError(request, response, new RequestError(500, 'InternalServerError', 'Internal Server Error'), around);
}

/** The first names of the server's own paths. With an empty prefix no content type can be served at one of them. */
export const serverNames: ReadonlySet<string> = new Set(['_health', '_ready', '_metrics']);

/** What decides which URLs are the content's. */
export interface UrlSpace {
  readonly prefix: string;
  /** Whether uploaded files are served below `/uploads`. */
  readonly hasUploads: boolean;
}

/** Returns a test whether a URL is the content's: below the prefix, in whatever case, and none of the server's own. */
export function contentUrls({ prefix, hasUploads }: UrlSpace): (url: string) => boolean {
  if (prefix === '') {
    const others = hasUploads ? new Set([...serverNames, 'uploads']) : serverNames;
    return (url) => {
      const [, first] = /^\/([^/?#]*)/.exec(withoutOrigin(url)) ?? [];
      return Boolean(first) && !others.has(first.toLowerCase());
    };
  }
  const lowerCase = prefix.toLowerCase();
  return (url) => {
    const path = withoutOrigin(url);
    return path[prefix.length] === '/' && path.slice(0, prefix.length).toLowerCase() === lowerCase;
  };
}

/** The path and query string of a URL. Proxies send whole URLs (`GET http://host/api/x`), which servers must accept. */
export function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
}

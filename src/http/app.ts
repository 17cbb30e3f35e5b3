import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { RequestError, ValidationError } from '../core/errors.ts';
import type { Reply } from '../query/reply/reply.ts';
import type { Middleware, RequestParts } from './content-handler.ts';
import { createHandler, defaultHooks, partsOf, type RequestHooks, type Responder } from './content-handler.ts';
import { sendAllowedMethods, sendError, sendFailure } from './error-replies.ts';
import { createExplorer, type ExplorerContent } from './home/explorer.ts';
import { createHomePage, type HomeContent, type ReadFreshness } from './home/page.ts';
import { sendUnknownRoute } from './home/unknown-route.ts';
import { createPathReader } from './prefix.ts';
import { readQueryParameter } from './query-parameter.ts';
import { noHeaders, sendReply } from './send.ts';

/**
 * Creates the server's request listener. Content requests bypass Express, which costs more than answering them. All
 * other requests go to the Express app.
 */
export function createListener(content: ServedContent, options: ListenerOptions = {}): RequestListener {
  const app = createApp(content, options);
  const handle = contentHandler(content, options.hooks);
  return (request, response) => {
    // the app's CORS middleware answers preflight requests
    if (request.method === 'OPTIONS' || !handle(request, response)) app(request, response);
  };
}

/** Creates a handler that answers the requests below the prefix. It returns whether a request is one of them. */
function contentHandler(content: ServedContent, hooks?: RequestHooks) {
  const pathOf = createPathReader(content);
  const handle = createHandler(content, hooks, ({ request, response, staticHeaders }, { nearest }) =>
    sendUnknownRoute(request, response, {
      nearest: urlOf(request, content, nearest!()),
      isLikeStrapi: content.summary.dialect === 'strapi',
      staticHeaders,
    }),
  );
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = pathOf(request.url ?? '');
    if (path !== null) handle(request, response, path);
    return path !== null;
  };
}

/** Returns the URL of a path below the prefix. Several contents have a base URL each. */
function urlOf(
  request: IncomingMessage & { baseUrl?: string },
  { prefix }: ServedContent,
  path: string | null,
): string | null {
  return path === null ? null : `${request.baseUrl ?? ''}${prefix}/${encodeURI(path)}`;
}

interface ListenerOptions {
  hooks?: RequestHooks;
  /** Answers requests for uploaded files that do not exist locally. */
  missingUpload?: RequestHandler;
  /** Middlewares that run first in the app. */
  before?: readonly RequestHandler[];
  /** The name of the content, for requests that choose it by their host. Default: none. */
  name?: string;
  /** How fresh the content is, for the home page. */
  freshness?: ReadFreshness;
}

/** The interface of content that the app uses. */
export interface ServedContent extends HomeContent, ExplorerContent, Responder {
  /** Whether `uploads` returns a middleware for `/uploads`. */
  readonly hasUploads: boolean;
  uploads(): Middleware;
  /**
   * Returns the path below the prefix of the route that is nearest to a path, of those that callers without a token may
   * read, or null.
   */
  nearestRoute(path: string): string | null;
  /** Answers a request for the OpenAPI document below the URL `base`, as its caller may see it. */
  answerOpenApi(base: string, options: RequestParts): Reply | Promise<Reply>;
  /** Answers a request for the schema, as its caller may see it. `name` is the content that the request chose, if any. */
  answerSchema(name: string, options: RequestParts): Reply | Promise<Reply>;
  /** Answers a request for how a URL is answered. */
  answerExplain(url: string, options: RequestParts): Reply | Promise<Reply>;
}

/** Creates the Express app: uploaded files, a home page at `/`, a health check, and JSON errors. */
function createApp(
  content: ServedContent,
  { before = [], hooks, missingUpload, name = '', freshness }: ListenerOptions = {},
): express.Express {
  const { onError } = hooks ?? defaultHooks;
  const app = createBareApp(before);
  if (content.hasUploads) {
    app.use('/uploads', content.uploads());
    if (missingUpload) app.use('/uploads', withOriginalUrl(missingUpload));
  }

  app.get('/', createHomePage(content, freshness));
  const { refuseBody } = hooks ?? defaultHooks;
  const answerBy = (answer: AnswerOfContent) => callerHandler(content, answer, refuseBody);
  // one of several contents has a base URL of its own
  app.get(
    '/_openapi.json',
    answerBy(({ baseUrl }, parts) => content.answerOpenApi(baseUrl, parts)),
  );
  app.get(
    '/_schema.json',
    answerBy(({ baseUrl }, parts) => content.answerSchema(baseUrl.slice(1) || name, parts)),
  );
  app.get('/_explorer{/:file}', createExplorer(content, refuseBody));
  app.get(
    '/_explain',
    answerBy(({ url }, parts) => content.answerExplain(explainedUrl(url), parts)),
  );
  // the server answers this path before the app, unless the URL has a trailing slash or capitals
  app.get('/_health', sendHealth);
  const answerUnknown: RequestHandler = (request, response) => {
    const nearest = urlOf(request, content, content.nearestRoute(request.path));
    sendUnknownRoute(request, response, { nearest, isLikeStrapi: false, staticHeaders: noHeaders });
  };
  return withErrorHandlers(app, answerUnknown, onError);
}

/** Answers a request beside the prefix for its caller. */
type AnswerOfContent = (request: express.Request, parts: RequestParts) => Reply | Promise<Reply>;

/** Creates the handler of a route beside the prefix. Middlewares have set the static headers of the reply. */
function callerHandler(
  { codings }: ServedContent,
  answer: AnswerOfContent,
  refuseBody: RequestHooks['refuseBody'],
): RequestHandler {
  return async (request, response) => {
    const { headers, method } = request;
    const reply = await answer(request, partsOf(headers, method));
    await sendReply(request, response, reply, noHeaders, { codings, refuseBody });
  };
}

/** Returns the URL that `/_explain?url=…` names. Throws a ValidationError. */
function explainedUrl(url: string): string {
  const explained = readQueryParameter(url, 'url');
  if (explained === null) throw new ValidationError('query: "url" is missing: the URL to explain, percent-encoded');
  return explained;
}

/** Wraps a handler so that it sees the URL as the client sent it, wherever it is mounted. */
function withOriginalUrl(handler: RequestHandler): RequestHandler {
  return (request, response, next) => {
    request.url = request.originalUrl;
    handler(request, response, next);
  };
}

/** Creates an app that runs `before` and answers all other requests with `error`. */
export function appOf(
  before: readonly RequestHandler[],
  error: () => RequestError,
  onError: RequestHooks['onError'],
): express.Express {
  return withErrorHandlers(
    createBareApp(before),
    (request, response) => void sendError(request, response, error()),
    onError,
  );
}

/** Creates an app that runs `before` first and accepts only GET and HEAD. */
function createBareApp(before: readonly RequestHandler[]): express.Express {
  const app = express();
  app.disable('x-powered-by');
  // the engine sets the reply's headers and parses the query string
  app.set('etag', false);
  app.set('query parser', false);
  for (const handler of before) app.use(handler);
  app.use(rejectOtherMethods);
  return app;
}

/** Adds error handlers: `unhandled` answers what is left, errors are sent as JSON, `onError` gets unexpected ones. */
function withErrorHandlers(
  app: express.Express,
  unhandled: RequestHandler,
  onError: RequestHooks['onError'] = defaultHooks.onError,
): express.Express {
  app.use(unhandled);
  // Express recognises an error handler by its four parameters
  const handleError: ErrorRequestHandler = (thrown, request, response, _next) => {
    if (thrown instanceof RequestError) return void sendError(request, response, thrown);
    // thrown by Express for a path such as /%zz, before any handler
    if (thrown instanceof URIError && 'status' in thrown) {
      return void sendError(request, response, new ValidationError('The path is not percent-encoded UTF-8'));
    }
    onError(request, thrown);
    sendFailure(request, response);
  };
  return app.use(handleError);
}

/** Answers a liveness probe with 204. */
export const sendHealth: RequestHandler = (_request, response) => {
  response.statusCode = 204;
  // Strapi's health endpoint sends this header, and probes check it
  response.setHeader('strapi', 'You are so French!');
  response.end();
};

const rejectOtherMethods: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') next();
  else sendAllowedMethods(request, response);
};

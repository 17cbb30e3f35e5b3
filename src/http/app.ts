import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { NotFoundError, RequestError } from '../base/errors.ts';
import { type HomeContent, homePage, homePolicy } from './home.ts';
import {
  type Answering,
  answerMethod,
  contentUrls,
  createHandler,
  type Middleware,
  noHooks,
  type RequestHooks,
  sendError,
  sendFailure,
} from './router.ts';

/**
 * The server's listener: content requests go straight to the handler, all else to Express, which costs more than
 * answering does.
 */
export function createListener(content: ServedContent, options: ListenerOptions = {}): RequestListener {
  const app = createApp(content, options);
  const { prefix } = content;
  const isContent = contentUrls(content);
  const handle = createHandler(content, prefix, options.hooks, prefix.length);
  return (request, response) => {
    // what a preflight asks is for the app's middlewares to answer
    if (isContent(request.url ?? '') && request.method !== 'OPTIONS') handle(request, response);
    else app(request, response);
  };
}

export interface ListenerOptions {
  /** What happens around content requests. */
  hooks?: RequestHooks;
  /** Answers requests for uploaded files that are not here. */
  missingUpload?: RequestHandler;
  /** What comes before all else in the app. */
  before?: readonly RequestHandler[];
}

/** What the app needs of the content. */
export interface ServedContent extends HomeContent, Answering {
  router(): Middleware;
  /** Whether `uploads` gives a middleware for `/uploads`. */
  readonly hasUploads: boolean;
  uploads(): Middleware;
}

/** The whole server: content below its prefix, a page at `/`, health, and errors as JSON for everything else. */
export function createApp(
  content: ServedContent,
  { before = [], hooks: surroundings, missingUpload }: ListenerOptions = {},
): express.Express {
  const app = createBareApp(before);
  if (content.hasUploads) {
    app.use('/uploads', content.uploads());
    if (missingUpload) app.use('/uploads', atWholeUrl(missingUpload));
  }

  // made again for each snapshot
  let page: { readonly summary: object; readonly body: Buffer } | undefined;
  app.get('/', (_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', homePolicy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const { summary } = content;
    if (page?.summary !== summary) page = { summary, body: Buffer.from(homePage(content)) };
    response.setHeader('Content-Length', page.body.length);
    response.end(page.body);
  });

  app.get('/_health', answerHealth);
  app.use(content.prefix || '/', content.router());

  return withErrorHandlers(app, () => new NotFoundError(), surroundings?.failed);
}

/** A handler that sees the URL as the client sent it, wherever it is mounted. */
function atWholeUrl(handler: RequestHandler): RequestHandler {
  return (request, response, next) => {
    request.url = request.originalUrl;
    handler(request, response, next);
  };
}

/** An app that reads, with `before` first. */
export function createBareApp(before: readonly RequestHandler[]): express.Express {
  const app = express();
  app.disable('x-powered-by');
  // a reply's headers are the engine's, and the query string is parsed once, by the engine
  app.set('etag', false);
  app.set('query parser', false);
  for (const handler of before) app.use(handler);
  app.use(onlyReads);
  return app;
}

/** The app, with an error for all that it does not answer, and errors as JSON. `failed` is told of unexpected ones. */
export function withErrorHandlers(
  app: express.Express,
  error: () => RequestError,
  failed: RequestHooks['failed'] = noHooks.failed,
): express.Express {
  app.use((request, response) => void sendError(request, response, error()));
  // Express takes a function of four parameters as its error handler
  const asJson: ErrorRequestHandler = (thrown, request, response, _next) => {
    if (thrown instanceof RequestError) return void sendError(request, response, thrown);
    failed(request, thrown);
    sendFailure(request, response);
  };
  return app.use(asJson);
}

/** The process is there and answers. */
export const answerHealth: RequestHandler = (_request, response) => {
  response.statusCode = 204;
  // the word that Strapi's clients and probes know a living server by
  response.setHeader('strapi', 'You are so French!');
  response.end();
};

const onlyReads: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') next();
  else answerMethod(request, response);
};

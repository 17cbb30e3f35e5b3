import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';
import { NotFoundError, RequestError } from '../errors.ts';
import { type HomeContent, homePage, homePolicy } from './home.ts';
import { type Answering, answerMethod, createHandler, noSurroundings, sendError, sendFailure } from './router.ts';

/**
 * The server's listener: content requests go straight to the handler, all else to Express, which costs more than
 * answering does.
 */
export function createListener(content: ServedContent): RequestListener {
  const app = createApp(content);
  const handle = createHandler(content, '');
  const below = `${content.prefix}/`;
  return (request, response) => {
    if (request.url?.startsWith(below)) handle(request, response);
    else app(request, response);
  };
}

/** What the app needs of the content. */
export interface ServedContent extends HomeContent, Answering {
  router(): Router;
}

/** The whole server: content below its prefix, a page at `/`, health, and errors as JSON for everything else. */
export function createApp(content: ServedContent): express.Express {
  const app = express();
  app.disable('x-powered-by');
  // a reply's headers are the engine's, and the query string is parsed once, by the engine
  app.set('etag', false);
  app.set('query parser', false);

  app.use(onlyReads);
  app.use(content.prefix, content.router());

  app.get('/', (_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', homePolicy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const page = Buffer.from(homePage(content));
    response.setHeader('Content-Length', page.length);
    response.end(page);
  });

  app.get('/_health', (_request, response) => {
    response.statusCode = 204;
    // the word that Strapi's clients and probes know a living server by
    response.setHeader('strapi', 'You are so French!');
    response.end();
  });

  app.use((request, response) => sendError(request, response, new NotFoundError()));
  app.use(asJson);
  return app;
}

const onlyReads: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') next();
  else answerMethod(request, response);
};

/** Express takes a function of four parameters as its error handler. */
const asJson: ErrorRequestHandler = (error, request, response, _next) => {
  if (error instanceof RequestError) return sendError(request, response, error);
  noSurroundings.failed(request, error);
  sendFailure(request, response);
};

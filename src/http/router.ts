import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { MethodNotAllowedError, RequestError } from '../errors.ts';
import { errorReply, type Reply } from '../reply/reply.ts';

/** What answers requests: the engine, or a stand-in. */
export interface Answering {
  answer(url: string, options: AnswerOptions): Reply | Promise<Reply>;
}

/** What of a request counts besides its URL. */
export interface AnswerOptions {
  authorization?: string;
  method?: string;
  responseFormat?: string;
  explains?: boolean;
}

export type Handler = (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void;

export const readMethods = 'GET, HEAD';

/**
 * A handler for everything below one path. Express takes the path at which a handler is mounted off `request.url`;
 * `prefix` is put in its place, so `app.use('/content', handler)` works too, and the engine sees the prefix that it
 * was configured with; it is empty where whole URLs come. `next` is never called: what stands below this path and is
 * not content is a 404. Routes and middlewares of the user's own therefore come before it.
 */
export function createHandler(content: Answering, prefix: string): Handler {
  return (request, response) => {
    const method = request.method ?? 'GET';
    if (method !== 'GET' && method !== 'HEAD') return refuseMethod(method, response);

    const send = (reply: Reply) => sendReply(response, reply);
    const fail = (error: unknown) => sendFailure(request, response, error);
    try {
      const url = prefix + withoutOrigin(request.url ?? '/');
      const { authorization, 'strapi-response-format': format, 'x-lectern-explain': explain } = request.headers;
      const responseFormat = Array.isArray(format) ? format[0] : format;
      const reply = content.answer(url, {
        authorization,
        method,
        responseFormat,
        explains: explain === undefined ? undefined : true,
      });
      if (reply instanceof Promise) reply.then(send).catch(fail);
      else send(reply);
    } catch (error) {
      fail(error);
    }
  };
}

/** The handler as an Express router, for `app.use('/api', router)`. */
export function createRouter(content: Answering, prefix: string): express.Router {
  const router = express.Router();
  router.use(createHandler(content, prefix));
  return router;
}

/** Answers a method that does not read. */
export function refuseMethod(method: string, response: ServerResponse): void {
  response.setHeader('Allow', readMethods);
  sendError(response, new MethodNotAllowedError(method));
}

export function sendError(response: ServerResponse, error: RequestError): void {
  sendReply(response, errorReply(error));
}

/** Answers an exception that nobody expected: its text goes to stderr and not to the caller. */
export function sendFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  console.error(`lectern: ${request.method} ${request.url}:`, error);
  if (response.headersSent) response.destroy();
  else sendError(response, new RequestError(500, 'InternalServerError', 'Internal Server Error'));
}

/** For HEAD, Node leaves the body out by itself; its length is sent. */
function sendReply(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { ...headers, 'Content-Length': body.length });
  response.end(body);
}

/** A proxy's request line carries a whole URL (`GET http://host/api/x`), which servers have to accept. */
function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
}

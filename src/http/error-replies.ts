import type { IncomingMessage, ServerResponse } from 'node:http';
import { MethodNotAllowedError, RequestError } from '../core/errors.ts';
import { errorReply, type Reply } from '../query/reply/reply.ts';
import { type HeaderList, noHeaders, sendReply } from './send.ts';

/** The value of the header `Allow`. */
export const readMethods = 'GET, HEAD, OPTIONS';

/** Answers OPTIONS with 204 and other methods with 405, both with `Allow`. Returns the status. */
export function sendAllowedMethods(
  request: IncomingMessage,
  response: ServerResponse,
  staticHeaders: HeaderList = noHeaders,
): number {
  response.setHeader('Allow', readMethods);
  const { method = '' } = request;
  if (method !== 'OPTIONS') return sendError(request, response, new MethodNotAllowedError(method), staticHeaders);
  sendReply(request, response, { status: 204, headers: {}, body: Buffer.alloc(0) }, staticHeaders);
  return 204;
}

/** Sends an error as JSON. Returns its status. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: RequestError,
  staticHeaders: HeaderList = noHeaders,
): number {
  sendReply(request, response, errorReply(error), staticHeaders);
  return error.status;
}

/** Answers with 500 after an unexpected exception. Does not expose its message. */
export function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  staticHeaders: HeaderList = noHeaders,
): void {
  if (response.headersSent) response.destroy();
  else
    sendError(request, response, new RequestError(500, 'InternalServerError', 'Internal Server Error'), staticHeaders);
}

/** Why no content is served yet. */
export const loading = 'The snapshot is being loaded';

/** Creates a 503 error. */
export function unavailable(reason: string): RequestError {
  return new RequestError(503, 'ServiceUnavailableError', reason);
}

/** Creates a 503 reply with Retry-After. */
export function overloadedReply(reason: string): Reply {
  const refused = errorReply(unavailable(reason));
  return { ...refused, headers: { ...refused.headers, 'Retry-After': '1' } };
}

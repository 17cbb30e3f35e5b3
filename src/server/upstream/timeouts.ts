/** Timeouts for clients and the upstream server, in milliseconds. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const maxInterval = 1000;

/** The side that caused a timeout. */
export type SlowSide = 'client' | 'upstream';

/**
 * Calls `onTimeout` if the client sends no byte of an unfinished body for `client` milliseconds, or if the upstream
 * server does not start its reply within `upstream` milliseconds of the last byte. Returns a function that stops the
 * timer.
 */
export function watchTimeouts(
  request: IncomingMessage,
  limits: { client: number; upstream: number },
  onTimeout: (side: SlowSide) => void,
): () => void {
  const { socket } = request;
  let bytes = socket.bytesRead;
  let wasClientsTurn = true;
  let since = performance.now();
  const check = () => {
    const now = performance.now();
    // a paused body waits for the upstream server
    const isClientsTurn = !request.complete && request.readableFlowing !== false;
    if (socket.bytesRead !== bytes || isClientsTurn !== wasClientsTurn) {
      bytes = socket.bytesRead;
      wasClientsTurn = isClientsTurn;
      since = now;
      return;
    }
    const limit = isClientsTurn ? limits.client : limits.upstream;
    if (now - since < limit) return;
    stop();
    onTimeout(isClientsTurn ? 'client' : 'upstream');
  };
  const timer = setInterval(check, Math.min(maxInterval, limits.client, limits.upstream));
  timer.unref();
  const stop = () => clearInterval(timer);
  return stop;
}

/**
 * Destroys the connection if the request body is incomplete after the limit. For servers without `requestTimeout`. Pass
 * the socket if the body may have been read in part, because the request may have lost it.
 */
export function limitBody(request: IncomingMessage, milliseconds: number, socket: Socket = request.socket): void {
  if (request.complete || !hasBody(request)) return;
  const timer = setTimeout(() => {
    if (!request.complete) socket.destroy();
  }, milliseconds);
  timer.unref();
  request.once('end', () => clearTimeout(timer));
  socket.once('close', () => clearTimeout(timer));
}

export function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding !== undefined || (length !== undefined && length !== '0');
}

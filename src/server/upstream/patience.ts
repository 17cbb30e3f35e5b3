/** How long clients and the upstream server may take. All times are in milliseconds. */
import type { IncomingMessage } from 'node:http';

const longestInterval = 1000;

/** Who has not done anything for too long. */
export type Late = 'client' | 'upstream';

/**
 * Watches a request until `stop` is called. A client is late if it sends nothing of an unfinished body for `client`;
 * the upstream server is late if it does not begin its reply within `upstream` of the last byte. Returns `stop`.
 */
export function watch(
  request: IncomingMessage,
  limits: { client: number; upstream: number },
  late: (who: Late) => void,
): () => void {
  const { socket } = request;
  let bytes = socket.bytesRead;
  let wasClientsTurn = true;
  let since = performance.now();
  const look = () => {
    const now = performance.now();
    // a body that is held back waits for the upstream server
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
    late(isClientsTurn ? 'client' : 'upstream');
  };
  const timer = setInterval(look, Math.min(longestInterval, limits.client, limits.upstream));
  timer.unref();
  const stop = () => clearInterval(timer);
  return stop;
}

/** Ends a connection whose request has a body that is not there in time. For servers whose own limit is off. */
export function limitBody(request: IncomingMessage, milliseconds: number): void {
  if (request.complete || !hasBody(request)) return;
  const { socket } = request;
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

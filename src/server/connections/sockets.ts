import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { MethodNotAllowedError } from '../../core/errors.ts';
import { sendError } from '../../http/error-replies.ts';
import type { Config } from '../../model/settings/config.ts';
import { hasEndedReading, readAsStream } from '../node-internals.ts';
import {
  afterEarlierReplies,
  answerClientError,
  answerError,
  type ClientError,
  hasSeveralHosts,
  severalHosts,
} from './client-errors.ts';
import { answerRawUrl } from './raw-urls.ts';

/** Interval at which Node checks timeouts, in milliseconds. */
const checkInterval = 1000;

/** Idle timeout, in milliseconds. A proxy keeps connections for a minute and should be the first to close them. */
const idleTime = { direct: 5000, behindProxy: 65_000 };

/**
 * Creates an HTTP server with limits on connections. Calls `onRejected` for each malformed request, with the error code
 * and the status of the reply, or null if none was sent.
 */
export function createBoundedServer(
  { timeouts, connections, trustProxy, upstream }: Pick<Config, 'timeouts' | 'connections' | 'trustProxy' | 'upstream'>,
  listener: RequestListener,
  onRejected: (code: string | undefined, status: number | null) => void,
): Server {
  const options = {
    headersTimeout: timeouts.headers,
    // Uploads to the upstream server may take any time. `limitBody` limits other requests.
    requestTimeout: upstream === undefined ? timeouts.request : 0,
    keepAliveTimeout: timeouts.keepAlive ?? (trustProxy.length > 0 ? idleTime.behindProxy : idleTime.direct),
    connectionsCheckingInterval: checkInterval,
    maxHeaderSize: connections.headerBytes,
  };
  const server = createServer(options, (request, response) => {
    if (!hasSeveralHosts(request)) return listener(request, response);
    onRejected('SEVERAL_HOSTS', sendError(request, response, severalHosts, ['Connection', 'close']));
  });
  server.maxConnections = connections.most;
  server.maxRequestsPerSocket = connections.requests;
  server.on('connect', (_request, socket) => {
    readAsStream(socket);
    socket.on('error', () => socket.destroy());
    afterEarlierReplies(socket, () => onRejected('CONNECT', answerError(socket, new MethodNotAllowedError('CONNECT'))));
  });
  const malformed = new WeakSet<Duplex>();
  server.on('clientError', (error: ClientError, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    // bytes after a malformed request are not parsed either
    if (malformed.has(socket) || hasEndedReading(socket)) return;
    malformed.add(socket);
    // an earlier complete request may not have been emitted yet
    setImmediate(() => {
      afterEarlierReplies(socket, () => {
        if (answerRawUrl(server, error, socket as Socket)) return;
        onRejected(error.code, answerClientError(error, socket, connections.headerBytes));
      });
    });
  });
  return server;
}

import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { MethodNotAllowedError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { sendError } from '../http/router.ts';
import {
  afterEarlierReplies,
  answerClientError,
  answerError,
  type ClientError,
  hasSeveralHosts,
  severalHosts,
} from './client-errors.ts';
import { hasEndedReading } from './end-reading.ts';
import { answerRawUrl } from './raw-urls.ts';

/** How often it is looked whether a connection or a request has had its time, in milliseconds. */
const checkEvery = 1000;

/** For which a connection may be idle, in milliseconds: a proxy keeps its own for a minute and should be the first. */
const idleTime = { direct: 5000, behindProxy: 65_000 };

/**
 * An HTTP server with bounds on what connections may cost. `refused` is told of each request that could not be read:
 * what Node calls it, and the status that it was answered with, or null.
 */
export function createBoundedServer(
  { timeouts, connections, trustProxy, upstream }: Pick<Config, 'timeouts' | 'connections' | 'trustProxy' | 'upstream'>,
  listener: RequestListener,
  refused: (code: string | undefined, status: number | null) => void,
): Server {
  const options = {
    headersTimeout: timeouts.headers,
    // uploads to the upstream server may take any time, and the limit of all others is kept elsewhere
    requestTimeout: upstream === undefined ? timeouts.request : 0,
    keepAliveTimeout: timeouts.keepAlive ?? (trustProxy.length > 0 ? idleTime.behindProxy : idleTime.direct),
    connectionsCheckingInterval: checkEvery,
    maxHeaderSize: connections.headerBytes,
  };
  const server = createServer(options, (request, response) => {
    if (!hasSeveralHosts(request)) return listener(request, response);
    refused('SEVERAL_HOSTS', sendError(request, response, severalHosts, ['Connection', 'close']));
  });
  server.maxConnections = connections.most;
  server.maxRequestsPerSocket = connections.requests;
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    afterEarlierReplies(socket, () => refused('CONNECT', answerError(socket, new MethodNotAllowedError('CONNECT'))));
  });
  const unreadable = new WeakSet<Duplex>();
  server.on('clientError', (error: ClientError, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    // all that follows what cannot be read cannot be read either
    if (unreadable.has(socket) || hasEndedReading(socket)) return;
    unreadable.add(socket);
    // the request that could be read to its end is being handed over
    setImmediate(() => {
      afterEarlierReplies(socket, () => {
        if (answerRawUrl(server, error, socket as Socket)) return;
        refused(error.code, answerClientError(error, socket, connections.headerBytes));
      });
    });
  });
  return server;
}

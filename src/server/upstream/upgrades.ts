import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerError, hasSeveralHosts, severalHosts } from '../connections/client-errors.ts';
import { hasBody } from './timeouts.ts';

/** Takes over a connection that becomes a WebSocket. `head` holds its first bytes. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Passes WebSocket upgrades to `handle`. Ignores other upgrades, such as the HTTP/2 upgrade that some clients offer
 * with each request, and answers the request normally.
 */
export function acceptWebSockets(server: Server, handle: UpgradeHandler): void {
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (hasSeveralHosts(request)) return void answerError(socket, severalHosts);
    if (request.headers.upgrade?.toLowerCase() === 'websocket' && request.method === 'GET') {
      return handle(request, socket, head);
    }
    // Node has stopped parsing and would not read a body
    if (hasBody(request))
      return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as never);
    response.once('finish', () => socket.end());
    server.emit('request', request, response);
  });
}

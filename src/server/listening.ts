import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Logger } from 'pino';

/** A port that cannot be had. The message names host, port and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Where to listen; `flags` are what the user chooses host and port by. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly flags: { readonly host: string; readonly port: string };
}

/** How often connections that have become idle are closed while a server stops, in milliseconds. */
const closeEvery = 50;

/** Listens. Rejects with a ListenError. */
export function listen(server: Server, { host, port, flags }: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(new ListenError(problem(error, { host, port, flags })));
    server.once('error', failed);
    server.listen({ host, port }, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function problem(error: NodeJS.ErrnoException, { host, port, flags }: Place): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use: choose another with ${flags.port}`;
    case 'EACCES':
      return `port ${port} of ${host} may not be used by this user: choose one above 1023 with ${flags.port}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine: choose another with ${flags.host}`;
    default:
      return `cannot listen on port ${port} of ${host}: ${error.message}`;
  }
}

/** Where a server listens. */
export function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`;
}

/**
 * Takes no new connection, lets requests under way finish within `milliseconds`, and resolves when all is closed.
 * `isSending` tells whether any connection still waits for bytes of its reply.
 */
export async function close(
  server: Server,
  isSending: () => boolean,
  milliseconds: number,
  log: Logger,
): Promise<void> {
  // Node takes a connection for idle once its reply has been handed over, however much of it waits: its HTTP server
  // would end them all
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const closeIdle = () => {
    if (!isSending()) server.closeIdleConnections();
  };
  closeIdle();
  // a connection that was busy when the server closed is idle later
  const sweep = setInterval(closeIdle, closeEvery);
  const limit = setTimeout(() => {
    log.warn('connections were cut off that did not end in time');
    server.closeAllConnections();
  }, milliseconds);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}

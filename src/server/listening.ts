import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
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

/** Connections that may wait to be accepted: Node's default. */
const backlog = 511;

/** So many times in a row nothing may have been received before connections count as idle: a quarter of a second. */
const quietSweeps = 5;

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

/** What a stopping server has to know of its connections. */
export interface OpenConnections {
  /** Whether any client has yet to take bytes of its reply. */
  isSending(): boolean;
  /** Bytes that all clients have sent so far. */
  bytesRead(): number;
}

/**
 * Takes no new connection, lets requests under way finish within `milliseconds`, and resolves when all is closed.
 * Without `connections`, idle connections are closed at once.
 */
export async function close(
  server: Server,
  connections: OpenConnections | null,
  milliseconds: number,
  log: Logger,
): Promise<void> {
  await acceptBacklog(server);
  // Node takes a connection for idle once its reply has been handed over, however much of it waits: its HTTP server
  // would end them all
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const isQuiet = quietOver(connections);
  const closeIdle = () => {
    if (isQuiet()) server.closeIdleConnections();
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

/** Accepts the connections that the system has established: closing the port would reset them. */
async function acceptBacklog(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => accepted++;
  server.on('connection', count);
  let before = -1;
  for (let turn = 0; turn < backlog && accepted > before; turn++) {
    before = accepted;
    // one turn of the event loop accepts one connection, between two immediates
    await setImmediate();
    await setImmediate();
  }
  server.off('connection', count);
}

/**
 * Returns a check, for every sweep, whether no bytes have moved for some sweeps. A connection between two requests
 * looks idle: closing it resets a request that is on its way. A busy client ends its connection itself, since every
 * reply now says `Connection: close`.
 */
function quietOver(connections: OpenConnections | null): () => boolean {
  if (!connections) return () => true;
  let bytes = connections.bytesRead();
  let quiet = 0;
  return () => {
    const before = bytes;
    bytes = connections.bytesRead();
    quiet = bytes === before && !connections.isSending() ? quiet + 1 : 0;
    return quiet > quietSweeps;
  };
}

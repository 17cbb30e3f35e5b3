import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../model/settings/config.ts';
import type { SlowReaders } from './slow-readers.ts';

/** The server cannot listen. The message names the host, the port and the remedy. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Where to listen. `flags` names the command line flags that set host and port. */
interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly flags: { readonly host: string; readonly port: string };
  /** Whether other threads listen on the same port. Needs Node 22.12. */
  readonly reusePort?: boolean;
}

/** The flags of the main port. */
export const mainFlags = { host: '--host', port: '--port' };

/** Interval at which a stopping server closes idle connections, in milliseconds. */
const sweepInterval = 50;

/** Maximum number of connections waiting to be accepted, Node's default. */
const backlog = 511;

/** Connections count as idle after more sweeps than this without received bytes: 0.3 seconds. */
const quietSweeps = 5;

/** Starts to listen. Rejects with a ListenError. */
export function listen(server: NetServer, address: ListenAddress): Promise<void> {
  const { host, port, reusePort } = address;
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(new ListenError(problem(error, address)));
    server.once('error', onError);
    // @types/node of Node 20 does not know reusePort
    server.listen({ host, port, ...(reusePort && { reusePort }) }, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

function problem(error: NodeJS.ErrnoException, { host, port, flags }: ListenAddress): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use: choose another with ${flags.port}`;
    case 'EACCES':
      return `port ${port} of ${host} may not be used by this user: choose one above 1023 with ${flags.port}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine: choose another with ${flags.host}`;
    default:
      return `cannot listen on port ${port} of ${host}: ${error.message}`;
  }
}

/** Returns the URL at which a server listens. */
export function addressOf(server: NetServer): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`;
}

/** The state of connections that a stopping server reads. */
interface OpenConnections {
  /** Whether any reply has unsent bytes. */
  isSending(): boolean;
  /** Total bytes received from all clients. */
  bytesRead(): number;
}

/**
 * Stops accepting connections, lets requests in progress finish within `milliseconds`, and resolves when all
 * connections are closed. Without `connections`, closes idle connections at once.
 */
export async function close(
  server: Server,
  connections: OpenConnections | null,
  milliseconds: number,
  log: Logger,
): Promise<void> {
  await acceptBacklog(server);
  // http.Server.close() would also close connections whose reply is not fully sent: Node considers them idle
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const isQuiet = quietOver(connections);
  const closeIdle = () => {
    if (isQuiet()) server.closeIdleConnections();
  };
  closeIdle();
  // connections become idle after their last request
  const sweep = setInterval(closeIdle, sweepInterval);
  const limit = setTimeout(() => {
    log.warn('closed connections whose requests did not finish in time');
    server.closeAllConnections();
  }, milliseconds);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}

/** Accepts the connections in the backlog, because closing the port would reset them. */
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
 * Returns a function that each sweep calls to learn whether no bytes have moved for several sweeps. A connection
 * between two requests looks idle, and closing it would reset a request in transit. Busy clients close their
 * connections themselves, because every reply now has `Connection: close`.
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

/** Who listens on the main port: this thread, or the threads that it coordinates. */
export interface MainPort {
  /** The URL of the port. */
  readonly address: string;
  /** Rejects with a ListenError. */
  listen(port: number): Promise<void>;
  /** Closes the port and all connections at once, because the server cannot start. */
  abandon(): Promise<void>;
  /** Lets requests finish within `timeouts.stop`, and resolves when all connections are closed. */
  stop(): Promise<void>;
}

interface OwnPortOptions {
  readonly config: Pick<Config, 'host' | 'timeouts'>;
  readonly log: Logger;
  /** Whether other threads listen on the same port. */
  readonly isShared: boolean;
  readonly connections: SlowReaders;
  /** Called after `timeouts.drain`, before the port closes. */
  onClosing(): void;
  /** Called when all connections are closed. */
  onClosed(): void;
}

/** Returns the main port of a thread that listens on it itself. */
export function ownPort(server: Server, options: OwnPortOptions): MainPort {
  const { host, timeouts } = options.config;
  return {
    get address() {
      return addressOf(server);
    },
    listen: (port) => listen(server, { host, port, flags: mainFlags, reusePort: options.isShared }),
    abandon: async () => {
      server.close();
      server.closeAllConnections();
    },
    stop: async () => {
      if (timeouts.drain > 0) await pause(timeouts.drain);
      options.onClosing();
      await close(server, options.connections, timeouts.stop, options.log);
      options.onClosed();
    },
  };
}

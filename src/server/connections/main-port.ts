import type { Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../model/settings/config.ts';
import type { AnsweringThreads } from '../operations.ts';
import { addressOf, close, listen, mainFlags } from './listening.ts';
import type { SlowReaders } from './slow-readers.ts';

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

export interface OwnPortOptions {
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
      if (timeouts.drain > 0) await setTimeout(timeouts.drain);
      options.onClosing();
      await close(server, options.connections, timeouts.stop, options.log);
      options.onClosed();
    },
  };
}

/** Returns the main port of a thread that coordinates others, which listen on the port of the settings. */
export function portOfThreads(threads: AnsweringThreads): MainPort {
  return {
    get address() {
      return threads.address;
    },
    listen: () => threads.listen(),
    abandon: () => threads.stop(),
    stop: () => threads.stop(),
  };
}

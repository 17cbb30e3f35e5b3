import { createClient, RESP_TYPES } from '@redis/client';
import { backOff } from '../../core/back-off.ts';
import { PublicationError } from '../publication.ts';
import { explainRedisError, isReply } from './explain-error.ts';
import type { RedisServer } from './server.ts';

type Client = ReturnType<typeof createClientOf>;

/** The arguments of a command. */
export type Command = readonly (string | Buffer)[];

export interface SendOptions {
  /** Milliseconds that the server may wait before it answers. Default: 0. */
  readonly wait?: number;
  readonly signal?: AbortSignal;
  /** Texts of replies are buffers. */
  readonly asBytes?: boolean;
}

/** Milliseconds for a connection, and for an answer. */
const timeout = 5_000;
/** Between attempts to connect, in milliseconds. The last is short, since replicas show changes soon after a server is back. */
const pauses = { first: 100, last: 1_000 };

/**
 * A connection that is made again when it ends. Nothing is queued meanwhile: a command that cannot be sent rejects at once.
 * A server that does not answer in time gets a new connection, since later answers would be taken for those of others.
 */
export class RedisConnection {
  readonly #server: RedisServer;
  #client: Client;
  /** Why there is no connection. */
  #lastError: Error | null = null;
  #isClosed = false;

  private constructor(server: RedisServer) {
    this.#server = server;
    this.#client = createClientOf(server, () => this.#isOpened);
    this.#attach(this.#client);
  }

  #isOpened = false;

  /** Rejects with a PublicationError if the first attempt fails. */
  static async open(server: RedisServer): Promise<RedisConnection> {
    const connection = new RedisConnection(server);
    try {
      await connection.#within(timeout, connection.#client.connect());
    } catch (error) {
      const cause = connection.#lastError ?? (error as Error);
      connection.close();
      throw explainRedisError(cause, server);
    }
    connection.#isOpened = true;
    return connection;
  }

  /**
   * Sends commands together and returns the replies. Rejects with the first error: a PublicationError whose outcome is
   * `none` if nothing was sent or the server refused a command, or the reason of the signal.
   */
  async send(commands: readonly Command[], { wait = 0, signal, asBytes }: SendOptions = {}): Promise<unknown[]> {
    signal?.throwIfAborted();
    const client = this.#client;
    if (!client.isReady) throw this.#offline();
    const typeMapping = asBytes ? { [RESP_TYPES.BLOB_STRING]: Buffer } : undefined;
    const replies = commands.map((command) => client.sendCommand(command, { typeMapping }));
    const all = Promise.all(replies);
    // replies after the first error, or after the end of the wait
    for (const reply of [all, ...replies]) reply.catch(() => {});
    try {
      return await this.#within(wait + timeout, all, signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof NoAnswer && client === this.#client) this.#replace();
      const cause = isReply(error) ? error : (this.#lastError ?? (error as Error));
      throw explainRedisError(cause, this.#server, isReply(error) ? 'none' : 'unknown');
    }
  }

  /** Pending commands reject. */
  close(): void {
    this.#isClosed = true;
    this.#client.destroy();
  }

  #offline(): PublicationError {
    if (this.#isClosed) return new PublicationError(`the connection to ${this.#server.address.text} was closed`);
    return explainRedisError(this.#lastError ?? new Error('there is no connection'), this.#server);
  }

  #replace(): void {
    this.#client.destroy();
    if (this.#isClosed) return;
    this.#client = createClientOf(this.#server, () => true);
    this.#attach(this.#client);
    // the error is kept as the last one
    this.#client.connect().catch(() => {});
  }

  #attach(client: Client): void {
    let timer: NodeJS.Timeout | undefined;
    client.on('error', (error: Error) => {
      clearTimeout(timer);
      if (client !== this.#client) return;
      this.#lastError = error;
      // what cannot be decoded is no reply, and what follows cannot be assigned to commands
      if (client.isReady) this.#replace();
    });
    // a server that accepts the connection and then says nothing
    client.on('connect', () => {
      timer = setTimeout(() => {
        this.#lastError = new NoAnswer();
        if (client === this.#client) this.#replace();
      }, timeout).unref();
    });
    client.on('ready', () => {
      clearTimeout(timer);
      if (client === this.#client) this.#lastError = null;
    });

    client.on('end', () => clearTimeout(timer));
  }

  async #within<T>(milliseconds: number, result: Promise<T>, signal?: AbortSignal): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    let onAbort: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new NoAnswer()), milliseconds);
      onAbort = () => reject(signal!.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([result, ended]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort!);
    }
  }
}

class NoAnswer extends Error {
  constructor() {
    super(`no answer within ${timeout / 1000} s`);
  }
}

function createClientOf({ address, certificates, readCredentials }: RedisServer, isOpened: () => boolean) {
  const { host, port, database, isEncrypted } = address;
  const reconnectStrategy = (retries: number, cause: Error) => {
    // the first attempt is that of whoever opens the publication
    if (!isOpened()) return cause;
    return backOff(retries + 1, pauses) * (0.5 + Math.random() / 2);
  };
  const common = { host, port, connectTimeout: timeout, reconnectStrategy };
  return createClient({
    RESP: 2,
    database,
    socket: isEncrypted ? { ...common, tls: true, ca: certificates } : common,
    credentialsProvider: { type: 'async-credentials-provider', credentials: readCredentials },
    disableOfflineQueue: true,
    // each takes a right more
    disableClientInfo: true,
    maintNotifications: 'disabled',
  });
}

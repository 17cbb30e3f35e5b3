import { createClient, RESP_TYPES } from '@redis/client';
import { backOff } from '../../core/back-off.ts';
import { PublicationError } from '../publication.ts';
import { explainRedisError, isReply, NoAnswer } from './explain-error.ts';
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
 * A connection that is made again when it ends, after pauses that grow until the server replies. Nothing is queued
 * meanwhile: a command that cannot be sent rejects at once.
 * A server that does not answer in time gets a new connection, since later answers would be taken for those of others.
 */
export class RedisConnection {
  readonly #server: RedisServer;
  #client: Client;
  /** Why there is no connection. */
  #lastError: Error | null = null;
  #isClosed = false;

  #isOpened = false;
  /** Connections in a row that ended before a reply. */
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  /** Whether it is known to be a server of this protocol, with or without TLS. */
  #hasReplied = false;

  private constructor(server: RedisServer) {
    this.#server = server;
    this.#client = this.#createClient();
  }

  /** Rejects with a PublicationError if the first attempt fails. */
  static async open(server: RedisServer): Promise<RedisConnection> {
    const connection = new RedisConnection(server);
    try {
      await connection.#within(timeout, connection.#client.connect());
    } catch (error) {
      const cause = connection.#lastError ?? (error as Error);
      connection.close();
      throw explainRedisError(cause, server, { hasReplied: false });
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
      const found = await this.#within(wait + timeout, all, signal);
      this.#noteReply();
      return found;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof NoAnswer) this.#replace(client, error);
      if (isReply(error)) this.#noteReply();
      const cause = isReply(error) ? error : (this.#lastError ?? (error as Error));
      throw explainRedisError(cause, this.#server, {
        outcome: isReply(error) ? 'none' : 'unknown',
        hasReplied: this.#hasReplied,
      });
    }
  }

  /** Pending commands reject. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#client.destroy();
  }

  #offline(): PublicationError {
    if (this.#isClosed) return new PublicationError(`the connection to ${this.#server.address.text} was closed`);
    return explainRedisError(this.#lastError ?? new Error('there is no connection'), this.#server);
  }

  #noteReply(): void {
    this.#hasReplied = true;
    this.#failures = 0;
  }

  /** Ends a client, and makes another after a pause. Does nothing if it is not the present one, or has ended before. */
  #replace(client: Client, cause: Error): void {
    if (client !== this.#client || this.#retry) return;
    this.#lastError = cause;
    client.destroy();
    // whoever opens the publication decides about the first attempt
    if (this.#isClosed || !this.#isOpened) return;
    const pause = backOff(++this.#failures, pauses) * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#client = this.#createClient();
      // the client tells of its error besides
      this.#client.connect().catch(() => {});
    }, pause);
  }

  #createClient(): Client {
    const client = createClientOf(this.#server);
    let timer: NodeJS.Timeout | undefined;
    // a connection that ended, or bytes that cannot be decoded: what follows cannot be assigned to commands
    client.on('error', (error: Error) => this.#replace(client, error));
    // a server that accepts the connection and then says nothing
    client.on('connect', () => {
      timer = setTimeout(() => this.#replace(client, new NoAnswer(timeout / 1000)), timeout).unref();
    });
    client.on('ready', () => {
      clearTimeout(timer);
      if (client === this.#client) this.#lastError = null;
    });
    for (const event of ['error', 'end']) client.on(event, () => clearTimeout(timer));
    return client;
  }

  async #within<T>(milliseconds: number, result: Promise<T>, signal?: AbortSignal): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    let onAbort: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new NoAnswer(timeout / 1000)), milliseconds);
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

function createClientOf({ address, certificates, readCredentials }: RedisServer) {
  const { host, port, database, isEncrypted } = address;
  // the client would try again without a pause where connections are accepted and ended
  const reconnectStrategy = false as const;
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

/** The only connection of a process to a database server. */

interface ServerConnection {
  readonly isLost: boolean;
  /** Ends the connection at once. */
  destroy(): void;
}

/**
 * Lends a connection to one user at a time; the others wait. Makes it when it is needed, and makes it again after it was
 * lost.
 */
export class SharedConnection<Connection extends ServerConnection> {
  readonly #open: () => Promise<Connection>;
  #connection: Connection | null = null;
  /** Settles when the connection is free. */
  #free: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(open: () => Promise<Connection>) {
    this.#open = open;
  }

  /** The user calls `release` at the end. Rejects as opening a connection does. */
  async borrow(): Promise<{ connection: Connection; release: () => void }> {
    const before = this.#free;
    let release = () => {};
    this.#free = new Promise((resolve) => (release = resolve));
    await before;
    try {
      return { connection: await this.#connect(), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Ends the connection, also while it is lent. */
  close(): void {
    this.#isClosed = true;
    this.#connection?.destroy();
  }

  async #connect(): Promise<Connection> {
    if (this.#isClosed) throw new Error('The connection was closed.');
    if (this.#connection && !this.#connection.isLost) return this.#connection;
    this.#connection = await this.#open();
    if (this.#isClosed) this.#connection.destroy();
    return this.#connection;
  }
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Between two looks at all connections, in milliseconds. */
const lookEvery = 1000;

/** A client that takes fewer bytes a second holds its reply, and the connection, too long. */
const leastBytesASecond = 16 * 1024;

/** What a connection has to have taken, as a total of bytes, and until when. */
interface Debt {
  total: number;
  until: number;
}

/**
 * Knows all connections of a server and cuts off those whose clients do not take their replies. Node cuts off one that
 * takes nothing for a while; this is for one that takes a byte now and then. Nothing is done for a request: all
 * connections are looked at once a second.
 */
export class SlowReaders {
  readonly #debts = new Map<Socket, Debt | null>();
  readonly #milliseconds: number;
  readonly #cutOff: () => void;
  readonly #timer: NodeJS.Timeout;

  /** For its whole reply a client has `milliseconds`, and a second for each 16 KiB. */
  constructor(server: Server, milliseconds: number, cutOff: () => void) {
    this.#milliseconds = milliseconds;
    this.#cutOff = cutOff;
    server.on('connection', (socket: Socket) => {
      this.#debts.set(socket, null);
      socket.once('close', () => this.#debts.delete(socket));
    });
    server.setTimeout(milliseconds, (socket: Socket) => {
      if (socket.writableLength > 0) cutOff();
      socket.destroy();
    });
    this.#timer = setInterval(() => this.look(performance.now()), lookEvery).unref();
    server.once('close', () => clearInterval(this.#timer));
  }

  get connections(): number {
    return this.#debts.size;
  }

  /** Whether any client has yet to take bytes of its reply. */
  isSending(): boolean {
    for (const socket of this.#debts.keys()) if (socket.writableLength > 0) return true;
    return false;
  }

  /** Bytes that the open connections have received. */
  bytesRead(): number {
    let total = 0;
    for (const socket of this.#debts.keys()) total += socket.bytesRead;
    return total;
  }

  /** Looks at all connections. `now` is in milliseconds. */
  look(now: number): void {
    for (const [socket, debt] of this.#debts) {
      const { writableLength: waiting, bytesWritten } = socket;
      const taken = bytesWritten - waiting;
      if (waiting === 0) this.#debts.set(socket, null);
      else if (debt === null || taken >= debt.total) {
        const allowed = this.#milliseconds + (waiting / leastBytesASecond) * 1000;
        this.#debts.set(socket, { total: bytesWritten, until: now + allowed });
      } else if (now > debt.until) {
        this.#cutOff();
        socket.destroy();
      }
    }
  }
}

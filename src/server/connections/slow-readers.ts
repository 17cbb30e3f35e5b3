import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Interval between two checks of all connections, in milliseconds. */
const checkInterval = 1000;

/** Minimum speed of a client, in bytes per second. */
const minBytesPerSecond = 16 * 1024;

/** The total number of bytes that a client must have received by a deadline. */
interface Deadline {
  total: number;
  /** In milliseconds, on the clock of `performance.now()`. */
  time: number;
}

/**
 * Tracks the connections of a server and closes those whose clients read their replies too slowly. Node's socket
 * timeout only closes connections without any activity. Adds no work per request: a timer checks all connections once a
 * second.
 */
export class SlowReaders {
  readonly #deadlines = new Map<Socket, Deadline | null>();
  readonly #milliseconds: number;
  readonly #cutOff: () => void;
  readonly #timer: NodeJS.Timeout;

  /** A client may take `milliseconds` for its reply, plus one second per 16 KiB. */
  constructor(server: Server, milliseconds: number, cutOff: () => void) {
    this.#milliseconds = milliseconds;
    this.#cutOff = cutOff;
    server.on('connection', (socket: Socket) => {
      this.#deadlines.set(socket, null);
      socket.once('close', () => this.#deadlines.delete(socket));
    });
    server.setTimeout(milliseconds, (socket: Socket) => {
      if (socket.writableLength > 0) cutOff();
      socket.destroy();
    });
    this.#timer = setInterval(() => this.check(performance.now()), checkInterval).unref();
    server.once('close', () => clearInterval(this.#timer));
  }

  get connections(): number {
    return this.#deadlines.size;
  }

  /** Whether any reply has unsent bytes. */
  isSending(): boolean {
    for (const socket of this.#deadlines.keys()) if (socket.writableLength > 0) return true;
    return false;
  }

  /** Total bytes received on open connections. */
  bytesRead(): number {
    let total = 0;
    for (const socket of this.#deadlines.keys()) total += socket.bytesRead;
    return total;
  }

  /** Checks all connections. `now` is in milliseconds. */
  check(now: number): void {
    for (const [socket, deadline] of this.#deadlines) {
      const { writableLength: unsent, bytesWritten } = socket;
      const received = bytesWritten - unsent;
      if (unsent === 0) this.#deadlines.set(socket, null);
      else if (deadline === null || received >= deadline.total) {
        const allowed = this.#milliseconds + (unsent / minBytesPerSecond) * 1000;
        this.#deadlines.set(socket, { total: bytesWritten, time: now + allowed });
      } else if (now > deadline.time) {
        this.#cutOff();
        socket.destroy();
      }
    }
  }
}

import { connect, type Socket } from 'node:net';

/** What came back: its status, and how many bytes its body has. */
export interface Answered {
  status: number;
  bytes: number;
}

const endOfHead = Buffer.from('\r\n\r\n');

/**
 * A connection that asks for one thing after the other. It takes replies apart no further than it has to, so that the
 * one who loads has little to do beside the one who is loaded.
 */
export class Connection {
  readonly #port: number;
  #socket: Socket;
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of the body that are still to come; null while the head is. */
  #left: number | null = null;
  #answered: Answered = { status: 0, bytes: 0 };
  #waiting: { resolve(answered: Answered): void; reject(error: Error): void } | null = null;

  constructor(port: number) {
    this.#port = port;
    this.#socket = this.#open();
  }

  /** Asks, and resolves when the whole reply is there; rejects if the connection ends before. */
  ask(path: string): Promise<Answered> {
    if (this.#socket.destroyed) this.#socket = this.#open();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #open(): Socket {
    this.#head = Buffer.alloc(0);
    this.#left = null;
    const socket = connect(this.#port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('data', (data) => this.#take(data));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#waiting?.reject(new Error('the connection was closed'));
      this.#waiting = null;
    });
    return socket;
  }

  #take(data: Buffer): void {
    if (this.#left === null) {
      this.#head = this.#head.length === 0 ? data : Buffer.concat([this.#head, data]);
      const end = this.#head.indexOf(endOfHead);
      if (end < 0) return;
      const head = this.#head.toString('latin1', 0, end);
      const bytes = Number(/\r\nContent-Length: (\d+)/.exec(head)?.[1] ?? 0);
      this.#answered = { status: Number(head.slice(9, 12)), bytes };
      this.#left = bytes - (this.#head.length - end - endOfHead.length);
      this.#head = Buffer.alloc(0);
    } else this.#left -= data.length;
    if (this.#left > 0) return;
    this.#left = null;
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(this.#answered);
  }
}

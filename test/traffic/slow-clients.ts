import { connect, type Socket } from 'node:net';

/** Clients that behave badly, each of which is replaced as soon as the server has cut it off. */
export class SlowClients {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #ended = false;
  /** How many writers were cut off. */
  cutWriters = 0;

  constructor(port: number, counts: { writers: number; readers: number }) {
    this.#port = port;
    for (let i = 0; i < counts.writers; i++) this.#write();
    for (let i = 0; i < counts.readers; i++) this.#read();
  }

  get open(): number {
    return this.#sockets.size;
  }

  end(): void {
    this.#ended = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Sends a header a second, and never the last. */
  #write(): void {
    const socket = this.#connect(() => {
      this.cutWriters++;
      this.#write();
    });
    socket.write('GET /api/articles HTTP/1.1\r\nHost: a\r\n');
    this.#every(1000, socket, () => socket.write('X-A: b\r\n'));
    socket.resume();
  }

  /**
   * Asks for one large reply after the other, and takes a kilobyte a second. What a connection holds of them is some
   * 200 KiB: the server gives it the time for sending and 13 seconds.
   */
  #read(): void {
    const socket = this.#connect(() => this.#read());
    const request = 'GET /api/articles?populate=*&pagination[pageSize]=25 HTTP/1.1\r\nHost: a\r\n\r\n';
    socket.pause();
    socket.write(request.repeat(50));
    this.#every(1000, socket, () => socket.read(1024));
  }

  #connect(again: () => void): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', highWaterMark: 1024 } as never);
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (!this.#ended) again();
    });
    return socket;
  }

  #every(milliseconds: number, socket: Socket, act: () => void): void {
    const timer = setInterval(act, milliseconds);
    this.#timers.add(timer);
    socket.once('close', () => {
      clearInterval(timer);
      this.#timers.delete(timer);
    });
  }
}

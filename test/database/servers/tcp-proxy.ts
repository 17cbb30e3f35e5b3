import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Passes connections to a port, and can cut, slow and end them. */
export class TcpProxy {
  readonly port: number;
  /** The port that later connections are passed to. */
  target: number;
  readonly #server: Server;
  /** Milliseconds by which each message is late. */
  delay = 0;
  /** Is awaited before each message of a client is passed on. */
  beforeMessage: (() => Promise<void>) | null = null;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(server: Server, target: number) {
    this.target = target;
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async to(target: number): Promise<TcpProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new TcpProxy(server, target);
    server.on('connection', (socket) => proxy.#pass(socket, connect(proxy.target, '127.0.0.1')));
    return proxy;
  }

  /** Passes nothing on, as a network without a way: connections stay open. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Ends the connections. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.drop();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(socket: Socket, other: Socket): void {
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ]) {
      this.#sockets.add(from);
      from.on('data', async (data) => {
        if (from === socket && this.beforeMessage) {
          from.pause();
          await this.beforeMessage();
          if (!this.#isCut) from.resume();
        }
        if (this.delay === 0) to.write(data);
        else setTimeout(() => to.write(data), this.delay);
      });
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#isCut) from.pause();
    }
  }
}

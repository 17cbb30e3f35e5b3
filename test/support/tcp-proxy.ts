import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Which end of a connection sent data. */
type Sender = 'client' | 'server';

/** Passes connections to a port, and can cut, slow, hold and end them. */
export class TcpProxy {
  readonly port: number;
  /** The port that later connections are passed to. */
  target: number;
  readonly #server: Server;
  /** Milliseconds by which each message is late. */
  delay = 0;
  /** Is awaited before each message of a client is passed on. */
  beforeMessage: (() => Promise<void>) | null = null;
  /** Returns whether data is passed on. If not, the connection passes nothing any more and stays open. */
  inspect: ((data: Buffer, sender: Sender, client: Socket) => boolean) | null = null;
  readonly #sockets = new Set<Socket>();
  /** Clients whose connections pass nothing any more. */
  readonly #held = new WeakSet<Socket>();
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

  /** Ends the connections and refuses others until `accept`. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.drop();
    await closed;
  }

  async accept(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    this.drop();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(client: Socket, server: Socket): void {
    this.#passOn(client, server, 'client', client);
    this.#passOn(server, client, 'server', client);
  }

  #passOn(from: Socket, to: Socket, sender: Sender, client: Socket): void {
    this.#sockets.add(from);
    /** What is late, in order, also when the delay changes. */
    const late: Buffer[] = [];
    from.on('data', async (data) => {
      if (sender === 'client' && this.beforeMessage) {
        from.pause();
        await this.beforeMessage();
        if (!this.#isCut) from.resume();
      }
      if (this.#held.has(client)) return;
      if (this.inspect && !this.inspect(data, sender, client)) return void this.#held.add(client);
      if (this.delay === 0 && late.length === 0) return void to.write(data);
      late.push(data);
      setTimeout(() => to.write(late.shift()!), this.delay);
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    if (this.#isCut) from.pause();
  }
}

import { connect, type Socket } from 'node:net';

const blankLine = Buffer.from('\r\n\r\n');
const goOn = Buffer.from('100');

/**
 * Sends raw bytes over one connection, request by request. Reconnects after the server has closed it.
 */
export class RawClient {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends a request and returns the status of its reply, whose length is checked, or null if the connection ended.
   */
  ask(bytes: Buffer, hasBody: boolean): Promise<number | null> {
    const socket = this.#open();
    return new Promise((resolve) => {
      let received = Buffer.alloc(0);
      const finish = (status: number | null, isClosed: boolean) => {
        socket.removeAllListeners('data').removeAllListeners('close');
        if (isClosed) {
          socket.destroy();
          this.#socket = null;
        }
        resolve(status);
      };
      socket.on('data', (part) => {
        received = received.length > 0 ? Buffer.concat([received, part]) : part;
        // 100 Continue precedes the reply
        while (received.subarray(9, 12).equals(goOn) && received.includes(blankLine)) {
          received = received.subarray(received.indexOf(blankLine) + blankLine.length);
        }
        const head = received.indexOf(blankLine);
        if (head < 0) return;
        const lines = received.toString('latin1', 0, head);
        const status = Number(lines.slice(9, 12));
        const length =
          hasBody && status !== 204 && status !== 304 ? Number(/content-length: (\d+)/i.exec(lines)?.[1] ?? 0) : 0;
        if (received.length >= head + 4 + length) finish(status, /connection: close/i.test(lines));
      });
      socket.on('close', () => finish(null, true));
      socket.write(bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    if (!this.#socket || this.#socket.destroyed) {
      this.#socket = connect(this.#port, '127.0.0.1').setNoDelay();
      this.#socket.on('error', () => {});
    }
    return this.#socket;
  }
}

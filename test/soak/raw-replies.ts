import { connect, type Socket } from 'node:net';

const endOfLine = Buffer.from('\r\n');
const endOfHead = Buffer.from('\r\n\r\n');
/** Maximum size of the head of a reply. */
const longestHead = 128 * 1024;

/** Reads consecutive replies from a stream of bytes without keeping bodies. */
export class ReplyReader {
  readonly #found: (status: number, head: string) => void;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes to skip: the rest of a body or of a chunk. */
  #left = 0;
  #isInChunks = false;

  /** `found` is called with the head of each reply. */
  constructor(found: (status: number, head: string) => void) {
    this.#found = found;
  }

  /** Whether the last reply is complete. */
  get isBetweenReplies(): boolean {
    return this.#left === 0 && !this.#isInChunks && this.#rest.length === 0;
  }

  /** Throws if the bytes are not replies. */
  read(data: Buffer): void {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    while (this.#rest.length > 0) {
      if (this.#left > 0) this.#skip();
      else if (!(this.#isInChunks ? this.#readChunkSize() : this.#readHead())) break;
    }
    if (this.#rest.length > longestHead) throw new Error('the head of a reply does not end');
  }

  #skip(): void {
    const skipped = Math.min(this.#left, this.#rest.length);
    this.#left -= skipped;
    this.#rest = this.#rest.subarray(skipped);
  }

  /** False if more bytes are needed. */
  #readChunkSize(): boolean {
    const end = this.#rest.indexOf(endOfLine);
    if (end < 0) return false;
    const size = Number.parseInt(this.#rest.toString('latin1', 0, end), 16);
    if (Number.isNaN(size)) throw new Error('a chunk has no size');
    this.#isInChunks = size > 0;
    this.#rest = this.#rest.subarray(end + endOfLine.length);
    this.#left = size + endOfLine.length;
    return true;
  }

  /** False if more bytes are needed. */
  #readHead(): boolean {
    const end = this.#rest.indexOf(endOfHead);
    if (end < 0) return false;
    const head = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + endOfHead.length);
    if (!/^HTTP\/1\.1 \d{3} /.test(head)) throw new Error(`no reply begins with ${JSON.stringify(head.slice(0, 100))}`);
    const status = Number(head.slice(9, 12));
    if (status < 200) return true;
    const hasBody = status !== 204 && status !== 304;
    this.#isInChunks = hasBody && /^transfer-encoding: chunked/im.test(head);
    this.#left = hasBody ? Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0) : 0;
    this.#found(status, head);
    return true;
  }
}

export interface Exchange {
  readonly port: number;
  readonly bytes: string | Buffer;
  /** Number of replies after which the connection is closed. If undefined, the server closes it. */
  readonly replies?: number;
  /** Resets the connection after this time at the latest. */
  readonly milliseconds: number;
  readonly found: (status: number, head: string) => void;
  readonly broken: (message: string) => void;
}

/** Sends bytes on a connection of its own. Resolves when the connection is closed. */
export function exchange({ port, bytes, replies, milliseconds, found, broken }: Exchange): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1', () =>
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    );
    let count = 0;
    const reader = new ReplyReader((status, head) => {
      count++;
      found(status, head);
    });
    const timer = setTimeout(() => socket.destroy(), milliseconds);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      try {
        reader.read(data);
      } catch (error) {
        broken((error as Error).message);
        socket.destroy();
      }
      if (replies !== undefined && count >= replies && reader.isBetweenReplies) socket.destroy();
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A GET request as bytes. */
export function getRequest(url: string, headers: readonly string[] = []): string {
  return `${[`GET ${url} HTTP/1.1`, 'Host: 127.0.0.1', ...headers].join('\r\n')}\r\n\r\n`;
}

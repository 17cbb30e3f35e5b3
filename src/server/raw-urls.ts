import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { ClientError } from './client-errors.ts';

/** A request of a method that reads, whole and without a body, whose first line holds bytes outside of ASCII. */
const readingHead = /^(?:GET|HEAD|OPTIONS) [^\r\n]*[\x80-\xff][^\r\n]* HTTP\/1\.1\r\n(?:[^\r\n]+\r\n)*\r\n$/;

/** Connections that end with the reply to such a request: what else they send is not read. */
const answered = new WeakSet<Socket>();

/**
 * Answers a request that Node's parser refuses because its URL holds raw UTF-8, as it is copied from the address line
 * of a browser: the request goes through the same server once more, with these bytes percent-encoded, which is what a
 * browser sends. The connection ends with the reply. Returns false if the request is of another kind, and then does
 * nothing.
 */
export function answerRawUrl(server: Server, { code, rawPacket }: ClientError, socket: Socket): boolean {
  if (answered.has(socket)) return true;
  if (code !== 'HPE_INVALID_URL' || !rawPacket || isAnswering(socket)) return false;
  const head = rawPacket.toString('latin1');
  if (!readingHead.test(head)) return false;
  const lineEnd = head.indexOf('\r\n');
  const line = head.slice(0, lineEnd).replace(/[\x80-\xff]/g, percentEncoded);
  const headers = head.slice(lineEnd, -2);
  answered.add(socket);
  const connection = new OneRequest(socket);
  server.emit('connection', connection);
  connection.push(`${line}${headers}Connection: close\r\n\r\n`, 'latin1');
  return true;
}

/** Whether an earlier request on the connection has yet to be answered; its reply must go first. */
function isAnswering(socket: Socket): boolean {
  return Boolean((socket as Socket & { _httpMessage?: object | null })._httpMessage);
}

function percentEncoded(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A connection for one request: what is written to it goes to the client, and nothing more is read from there. */
class OneRequest extends Duplex {
  readonly #client: Socket;

  constructor(client: Socket) {
    super({ emitClose: true });
    this.#client = client;
    client.once('close', () => this.destroy());
  }

  get remoteAddress(): string | undefined {
    return this.#client.remoteAddress;
  }

  get bytesWritten(): number {
    return this.#client.bytesWritten;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#client.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#client.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (error) this.#client.destroy();
    done(error);
  }
}

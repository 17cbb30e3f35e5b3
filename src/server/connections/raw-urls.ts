import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { currentResponse } from '../node-internals.ts';
import type { ClientError } from './client-errors.ts';

/** A complete GET, HEAD or OPTIONS request without a body whose request line has non-ASCII bytes. */
const rawRequest = /^(?:GET|HEAD|OPTIONS) [^\r\n]*[\x80-\xff][^\r\n]* HTTP\/1\.1\r\n(?:[^\r\n]+\r\n)*\r\n$/;

/** Connections that end with the reply to such a request. Their further bytes are ignored. */
const answered = new WeakSet<Socket>();

/**
 * Answers a request that Node's parser rejects because its URL has raw UTF-8, as copied from a browser's address bar.
 * Percent-encodes these bytes, as a browser does, and passes the request to the same server again. The connection ends
 * with the reply. Returns false, without effect, for any other request.
 */
export function answerRawUrl(server: Server, { code, rawPacket }: ClientError, socket: Socket): boolean {
  if (answered.has(socket)) return true;
  // the reply to an earlier request must be sent first
  if (code !== 'HPE_INVALID_URL' || !rawPacket || currentResponse(socket)) return false;
  const head = rawPacket.toString('latin1');
  if (!rawRequest.test(head)) return false;
  const lineEnd = head.indexOf('\r\n');
  const line = head.slice(0, lineEnd).replace(/[\x80-\xff]/g, percentEncoded);
  const headers = head.slice(lineEnd, -2);
  answered.add(socket);
  const connection = new SingleRequestConnection(socket);
  server.emit('connection', connection);
  connection.push(`${line}${headers}Connection: close\r\n\r\n`, 'latin1');
  return true;
}

function percentEncoded(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A connection for one request. Forwards writes to the client's socket and reads nothing more from it. */
class SingleRequestConnection extends Duplex {
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

import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { RequestError, UriTooLongError } from '../../core/errors.ts';
import { readMethods } from '../../http/error-replies.ts';
import { currentResponse } from '../node-internals.ts';

/** An error of Node's HTTP parser. */
export interface ClientError extends Error {
  code?: string;
  /** The bytes in which the parser found the error. */
  rawPacket?: Buffer;
}

/**
 * Answers a malformed request and ends its connection. Returns the status, or null if the client is gone. Destroys the
 * connection if a reply is being streamed to it.
 */
export function answerClientError(error: ClientError, socket: Duplex, headerBytes: number): number | null {
  if (error.code === 'ECONNRESET' || !socket.writable || isReplying(socket)) {
    socket.destroy();
    return null;
  }
  return answerError(socket, requestErrorOf(error, headerBytes));
}

/** Writes an error directly to a socket as its last reply, bypassing Node's HTTP server. Returns the status. */
export function answerError(socket: Duplex, error: RequestError): number {
  const body = JSON.stringify(error.toBody());
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  if (error.status === 405) lines.push(`Allow: ${readMethods}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return error.status;
}

/**
 * Calls back after the requests before a malformed one have been answered, to keep replies in request order. Does not
 * wait if the connection is closed, if the malformed bytes belong to the current request, or if a reply is being
 * streamed, which can take any time.
 */
export function afterEarlierReplies(socket: Duplex, callback: () => void): void {
  const response = currentResponse(socket);
  if (!response?.req.complete || socket.destroyed) return callback();
  const retry = () => afterEarlierReplies(socket, callback);
  if (!isReplying(socket)) return void response.once('close', retry);
  // a batched reply has sent its head but ends only at the end of this turn
  setImmediate(() => {
    if (currentResponse(socket) === response && isReplying(socket)) callback();
    else retry();
  });
}

/** Whether a reply is being streamed to a connection. Bytes written now would become part of it. */
function isReplying(socket: Duplex): boolean {
  const response = currentResponse(socket);
  return response?.headersSent === true && !response.writableEnded;
}

/** Returns the error to answer a malformed request with. */
function requestErrorOf({ code, rawPacket }: ClientError, headerBytes: number): RequestError {
  const details = { limit: headerBytes, setting: 'connections.headerBytes' };
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return isWithinFirstLine(rawPacket, headerBytes)
        ? new UriTooLongError(`The URL takes more than ${headerBytes} bytes`, headerBytes, 'connections.headerBytes')
        : new RequestError(431, 'HeadersTooLargeError', `The headers take more than ${headerBytes} bytes`, details);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new RequestError(408, 'RequestTimeoutError', 'The request took too long to arrive');
    default:
      return new RequestError(400, 'BadRequestError', 'The request is malformed');
  }
}

/** Whether the URL alone exceeds the limit. A packet that does not start with a method is a later part of a request. */
function isWithinFirstLine(packet: Buffer | undefined, headerBytes: number): boolean {
  if (!packet || !/^[A-Z]+ /.test(packet.toString('latin1', 0, 20))) return false;
  const end = packet.indexOf('\r\n');
  return end < 0 || end > headerBytes;
}

export const severalHosts = new RequestError(400, 'BadRequestError', 'The request has more than one Host header');

/** Whether a request has several Host headers. A proxy may have checked one while Node uses another. */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

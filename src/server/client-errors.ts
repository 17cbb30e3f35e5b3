import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { RequestError, UriTooLongError } from '../base/errors.ts';
import { readMethods } from '../http/router.ts';

/** What Node's parser says of a request that it cannot read. */
export interface ClientError extends Error {
  code?: string;
  /** The bytes in which the mistake was met. */
  rawPacket?: Buffer;
}

/**
 * Answers a connection whose request cannot be read, and ends it. Gives the status, or null if nobody is there to be
 * answered. A connection to which a reply is being streamed is cut off.
 */
export function answerClientError(error: ClientError, socket: Duplex, headerBytes: number): number | null {
  if (error.code === 'ECONNRESET' || !socket.writable || isReplying(socket)) {
    socket.destroy();
    return null;
  }
  return answerError(socket, refusalOf(error, headerBytes));
}

/** Writes an error as the last reply of a connection, past Node's HTTP server. Returns its status. */
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
 * Calls back once the requests before an unreadable one have been answered: replies keep the order of requests. Does
 * not wait if the connection is closed, if the unreadable bytes belong to the request that is being answered, or for a
 * reply that is being streamed, which may take any time.
 */
export function afterEarlierReplies(socket: Duplex, callback: () => void): void {
  const response = currentResponse(socket);
  if (!response?.req.complete || socket.destroyed) return callback();
  const goOn = () => afterEarlierReplies(socket, callback);
  if (!isReplying(socket)) return void response.once('close', goOn);
  // a reply that is written at once has its head for the rest of a turn before it ends
  setImmediate(() => {
    if (currentResponse(socket) === response && isReplying(socket)) callback();
    else goOn();
  });
}

/** Whether a reply is being streamed to a connection: what is written now would stand within it. */
function isReplying(socket: Duplex): boolean {
  const response = currentResponse(socket);
  return response?.headersSent === true && !response.writableEnded;
}

/** The response whose turn it is on a connection, whether or not it has been written. */
function currentResponse(socket: Duplex): ServerResponse | null | undefined {
  // Node's own handler looks at the same property
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage;
}

function refusalOf({ code, rawPacket }: ClientError, headerBytes: number): RequestError {
  const details = { limit: headerBytes, setting: 'connections.headerBytes' };
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return isWithinFirstLine(rawPacket, headerBytes)
        ? new UriTooLongError(`The URL takes more than ${headerBytes} bytes`, headerBytes, 'connections.headerBytes')
        : new RequestError(431, 'HeadersTooLargeError', `The headers take more than ${headerBytes} bytes`, details);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new RequestError(408, 'RequestTimeoutError', 'The request took too long to arrive');
    default:
      return new RequestError(400, 'BadRequestError', 'This is no request that can be read');
  }
}

/** Whether the URL alone is too long. Bytes that do not begin with a method are from further on in a request. */
function isWithinFirstLine(packet: Buffer | undefined, headerBytes: number): boolean {
  if (!packet || !/^[A-Z]+ /.test(packet.toString('latin1', 0, 20))) return false;
  const end = packet.indexOf('\r\n');
  return end < 0 || end > headerBytes;
}

export const severalHosts = new RequestError(400, 'BadRequestError', 'The request has more than one Host header');

/** Whether a request names two hosts: a proxy may have checked one, and Node would take the other. */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

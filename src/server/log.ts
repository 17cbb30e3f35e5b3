import { hash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import type { LogFormat } from '../config/server.ts';
import { textLines } from './log-text.ts';
import { standardError } from './log-writer.ts';

/** Of a path, this many characters are written. */
const shownPath = 500;

/** Where a secret would stand if one were logged. Paths with wildcards would cost each line eight times its time. */
const secrets = ['authorization', 'cookie', 'jwtSecret', 'token', 'sha256'];
const holders = ['', 'headers.', 'request.headers.', 'config.'];

/** A log on stderr unless it is told otherwise. Its lines are JSON or text, see the setting `log.format`. */
export function createLog(
  { level, format }: Pick<Config['log'], 'level' | 'format'>,
  destination = destinationOf(format),
): Logger {
  const paths = holders.flatMap((holder) => secrets.map((name) => holder + name));
  const redact = { paths, censor: '[redacted]' };
  return pino({ level, redact, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

function destinationOf(format: LogFormat): DestinationStream {
  const isText = format === 'text' || (format === 'auto' && process.stderr.isTTY);
  return isText ? textLines((text) => standardError.write(text)) : standardError;
}

/** What a line about a request says of it. */
export interface LoggedRequests {
  idOf(request: IncomingMessage): string;
  addressOf(request: IncomingMessage): string | undefined;
}

/**
 * A listener with one line for each request, when its reply has gone out or the client has. The query string stands as
 * a digest: equal queries can be told, and the values that visitors search for are not kept. `bytes` are those of the
 * body, as it was handed to the connection.
 */
export function logRequests(
  listener: RequestListener,
  log: Logger,
  { idOf, addressOf }: LoggedRequests,
): RequestListener {
  return (request, response) => {
    const started = performance.now();
    const { socket, url = '' } = request;
    const bodyBytes = countBody(response);
    let isWhole = false;
    // Node finishes a response whose connection is gone, too
    response.once('finish', () => (isWhole = !socket.destroyed));
    response.once('close', () => {
      const mark = url.indexOf('?');
      log.info(
        {
          id: idOf(request),
          method: request.method,
          path: (mark < 0 ? url : url.slice(0, mark)).slice(0, shownPath),
          query: mark < 0 ? undefined : digestOf(url.slice(mark + 1)),
          status: response.statusCode,
          bytes: request.method === 'HEAD' ? 0 : bodyBytes(),
          milliseconds: Math.round((performance.now() - started) * 1000) / 1000,
          address: addressOf(request),
          aborted: isWhole ? undefined : true,
        },
        'request',
      );
    });
    listener(request, response);
  };
}

/** Counts the bytes of a body while it is written. Node drops what is written to HEAD, and says so to nobody. */
function countBody(response: ServerResponse): () => number {
  let bytes = 0;
  for (const name of ['write', 'end'] as const) {
    const original = response[name] as (...given: unknown[]) => unknown;
    response[name] = function (this: ServerResponse, ...given: unknown[]) {
      const [chunk, encoding] = given;
      if (typeof chunk === 'string') bytes += Buffer.byteLength(chunk, encoding as BufferEncoding | undefined);
      else if (ArrayBuffer.isView(chunk)) bytes += chunk.byteLength;
      return original.apply(this, given);
    } as never;
  }
  return () => bytes;
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 12);
}

import { hash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

/** Of a path, this many characters are written. */
const shownPath = 500;

/** What waits for a reader of stderr who is slow; more is dropped, as to wait would hold up all requests. */
const waitingBytes = 16 * 2 ** 20;

/** Where a secret would stand if one were logged. Paths with wildcards would cost each line eight times its time. */
const secrets = ['authorization', 'cookie', 'jwtSecret', 'token', 'sha256'];
const holders = ['', 'headers.', 'request.headers.', 'config.'];

/** A log of JSON lines, on stderr unless it is told otherwise. */
export function createLog({ level }: Pick<Config['log'], 'level'>, destination = standardError()): Logger {
  const paths = holders.flatMap((holder) => secrets.map((name) => holder + name));
  const redact = { paths, censor: '[redacted]' };
  return pino({ level, redact, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** Written without waiting for whoever reads it; what is left is written when the process ends. */
function standardError(): DestinationStream {
  return pino.destination({ dest: 2, sync: false, maxLength: waitingBytes });
}

/**
 * A listener with one line for each request, when its reply has gone out or the client has. The query string stands as
 * a digest: equal queries can be told, and the values that visitors search for are not kept.
 */
export function logRequests(
  listener: RequestListener,
  log: Logger,
  addressOf: (request: IncomingMessage) => string | undefined,
): RequestListener {
  return (request, response) => {
    const started = performance.now();
    const { socket, url = '' } = request;
    const sentBefore = socket.bytesWritten;
    let isWhole = false;
    // Node finishes a response whose connection is gone, too
    response.once('finish', () => (isWhole = !socket.destroyed));
    response.once('close', () => {
      const mark = url.indexOf('?');
      log.info(
        {
          method: request.method,
          path: (mark < 0 ? url : url.slice(0, mark)).slice(0, shownPath),
          query: mark < 0 ? undefined : digestOf(url.slice(mark + 1)),
          status: response.statusCode,
          bytes: socket.bytesWritten - sentBefore,
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

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 12);
}

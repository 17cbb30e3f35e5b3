import { hash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../model/settings/config.ts';
import type { LogFormat } from '../../model/settings/server.ts';
import type { RequestDetails } from '../connections/request-details.ts';
import { standardError } from './log-writer.ts';

/** Maximum length of a logged path. */
const maxPathLength = 500;

/** Keys to redact. Enumerated, because wildcard paths make each log line eight times slower. */
const secretKeys = ['authorization', 'cookie', 'jwtSecret', 'apiTokenSalt', 'token', 'ticket', 'sha256'];
const parentPaths = ['', 'headers.', 'request.headers.', 'config.'];

/** Creates a logger, by default on stderr. The setting `log.format` selects JSON or text. */
export function createLog(
  { level, format }: Pick<Config['log'], 'level' | 'format'>,
  destination = logDestination(format),
): Logger {
  const paths = parentPaths.flatMap((parent) => secretKeys.map((key) => parent + key));
  const redact = { paths, censor: '[redacted]' };
  const serializers = { url: withoutTicket };
  const base = { pid: process.pid };
  return pino({ level, redact, serializers, base, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** Hides the ticket in a URL that opens a preview. */
function withoutTicket(url: unknown): unknown {
  return typeof url === 'string' ? url.replace(/([?&]ticket=)[^&#\s]*/gi, '$1[redacted]') : url;
}

/** Returns the destination of the JSON lines of a log. It writes them to stderr, as text if the setting says so. */
export function logDestination(format: LogFormat): DestinationStream {
  const isText = format === 'text' || (format === 'auto' && process.stderr.isTTY);
  return isText ? textLines((text) => standardError.write(text)) : standardError;
}

/**
 * Wraps a listener so that it logs one line per request, after the reply is sent or the client disconnects. The query
 * string is logged as a digest, which identifies equal queries without keeping the values. `bytes` is the size of the
 * body as sent.
 */
export function logRequests(
  listener: RequestListener,
  log: Logger,
  { idOf, addressOf }: RequestDetails,
): RequestListener {
  return (request, response) => {
    const started = performance.now();
    const { socket, url = '' } = request;
    const bodyBytes = countBody(response);
    let isWhole = false;
    // Node also emits 'finish' if the connection is gone
    response.once('finish', () => (isWhole = !socket.destroyed));
    response.once('close', () => {
      const queryStart = url.indexOf('?');
      log.info(
        {
          id: idOf(request),
          method: request.method,
          path: pathOf(url),
          query: queryStart < 0 ? undefined : textDigest(url.slice(queryStart + 1)),
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

/** Logs an upgrade at its start, because a WebSocket has no reply whose end could be logged. */
export function logUpgrade(request: IncomingMessage, log: Logger, { idOf, addressOf }: RequestDetails): void {
  const { method, url = '' } = request;
  log.info({ id: idOf(request), method, path: pathOf(url), address: addressOf(request) }, 'upgrade');
}

/** Counts the bytes of a body as they are written. For HEAD requests, Node discards them silently. */
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

function pathOf(url: string): string {
  return url.split('?', 1)[0].slice(0, maxPathLength);
}

function textDigest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 12);
}

/** Keys that are not printed as details. */
const omittedKeys = new Set(['level', 'time', 'pid', 'msg', 'err']);

/** Prints log lines as plain text: the message, the other keys, and the stack of an error. */
export function textLines(print: (text: string) => void): DestinationStream {
  return { write: (line) => print(`${lineText(JSON.parse(line))}\n`) };
}

function lineText(line: Record<string, unknown>): string {
  const { level, msg, err } = line;
  const details = Object.entries(line).filter(([key]) => !omittedKeys.has(key));
  const shown = details.map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const stack = (err as { stack?: string } | undefined)?.stack;
  return `${introduction(Number(level))}${msg ?? ''}${shown.join('')}${stack ? `\n${stack}` : ''}`;
}

function introduction(level: number): string {
  if (level >= 50) return 'lectern: ';
  return level >= 40 ? 'warning: ' : '';
}

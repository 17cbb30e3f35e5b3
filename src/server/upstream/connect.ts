import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { createPathReader, reservedNames, type UrlSettings, withoutOrigin } from '../../http/prefix.ts';
import type { Config } from '../../model/settings/config.ts';
import { answerError, hasSeveralHosts, severalHosts } from '../connections/client-errors.ts';
import type { RequestDetails, Trust } from '../connections/request-details.ts';
import { logUpgrade } from '../log/log.ts';
import { type RequestTimes, routeNames } from '../metrics/request-times.ts';
import { readAsStream } from '../node-internals.ts';
import type { StaticHeaders } from '../requests/static-headers.ts';
import { ticketPath } from '../tickets/preview-browsers.ts';
import { hasBody } from './timeouts.ts';
import { Upstream } from './upstream.ts';

interface UpstreamParts extends RequestDetails {
  readonly config: Pick<Config, 'upstream' | 'timeouts' | 'log'>;
  readonly log: Logger;
  readonly trust: Trust;
  readonly staticHeaders: StaticHeaders;
  readonly times: RequestTimes | null;
}

/** Connects to the upstream server of the settings, and forwards WebSockets of `main` to it. Null if there is none. */
export function connectUpstream(main: Server, parts: UpstreamParts): Upstream | null {
  const { config, log, trust, staticHeaders, times } = parts;
  if (config.upstream === undefined) return null;
  const upstream = new Upstream({
    address: config.upstream,
    timeouts: config.timeouts,
    trust,
    log,
    headers: (request) => staticHeaders.of(request),
    onUpgrade: () => times?.observe(routeNames.upstream, 101, 0),
  });
  acceptWebSockets(main, (request, socket, head) => {
    if (config.log.requests) logUpgrade(request, log, parts);
    upstream.upgrade(request, socket, head);
  });
  return upstream;
}

/** Takes over a connection that becomes a WebSocket. `head` holds its first bytes. */
type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Passes WebSocket upgrades to `handle`. Ignores other upgrades, such as the HTTP/2 upgrade that some clients offer
 * with each request, and answers the request normally.
 */
function acceptWebSockets(server: Server, handle: UpgradeHandler): void {
  server.on('upgrade', (request, socket, head) => {
    readAsStream(socket);
    socket.on('error', () => socket.destroy());
    if (hasSeveralHosts(request)) return void answerError(socket, severalHosts);
    if (request.headers.upgrade?.toLowerCase() === 'websocket' && request.method === 'GET') {
      return handle(request, socket, head);
    }
    // Node has stopped parsing and would not read a body
    if (hasBody(request))
      return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as never);
    response.once('finish', () => socket.end());
    server.emit('request', request, response);
  });
}

/** The interface of content that routing uses. */
interface UpstreamContent extends UrlSettings {
  /** Whether a path below the prefix matches a content route. The entry need not exist. */
  hasRoute(path: string): boolean;
}

/** The URL of a ticket, below the path of a content or without one. */
const ticketLink = new RegExp(`^(?:/[^/?]*)?${ticketPath}\\?`);

/**
 * Returns a predicate for requests to forward upstream. Reads of content routes, of the server's own routes, and of
 * local uploads and links with tickets are not forwarded. Before the content is loaded, `content` is null and nothing under the prefix is
 * forwarded.
 */
export function createUpstreamTest(
  content: UpstreamContent | null,
  prefix: string,
): (request: IncomingMessage) => boolean {
  const pathOf = createPathReader(content ?? { prefix, hasUploads: false });
  const reserved = reservedNames(content?.hasUploads ?? false);
  return (request) => {
    const url = withoutOrigin(request.url ?? '');
    // `OPTIONS *` asks about this server
    if (!url.startsWith('/')) return false;
    // a link to a preview that is gone holds a ticket
    if (ticketLink.test(url)) return false;
    if (!isRead(request)) return true;
    const [, first] = /^\/([^/?#]*)/.exec(url)!;
    const name = first.toLowerCase();
    if (reserved.has(name)) return false;
    const path = pathOf(url);
    if (path === null) return true;
    return content !== null && !content.hasRoute(path);
  };
}

/** Whether a request is a GET or HEAD, or a preflight of one. */
function isRead({ method, headers }: IncomingMessage): boolean {
  const effectiveMethod = method === 'OPTIONS' ? headers['access-control-request-method'] : method;
  return effectiveMethod === 'GET' || effectiveMethod === 'HEAD';
}

import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { createProxyServer, type ProxyServer } from 'httpxy';
import type { Logger } from 'pino';
import { RequestError } from '../../base/errors.ts';
import { sendError, withoutOrigin } from '../../http/router.ts';
import type { HeaderList } from '../../http/send.ts';
import type { Trust } from '../client-address.ts';
import { endToEnd, forwardedHeaders, removeUnpassed } from './headers.ts';
import { hasBody, watch } from './patience.ts';

/** Node closes idle connections after five seconds; they are not used again when the other side may be doing so. */
const idleTime = 4000;

export interface UpstreamOptions {
  /** An http or https URL. Its path is put in front of the path of each request. */
  readonly address: string;
  readonly timeouts: { readonly request: number; readonly upstream: number };
  readonly trust: Trust;
  readonly log: Logger;
  /** The headers around errors that are answered here. */
  headers(request: IncomingMessage): HeaderList;
  /** Told of each connection that is upgraded. */
  upgraded(): void;
}

const unreachable = new RequestError(502, 'BadGatewayError', 'The upstream server does not answer');
const tooSlow = new RequestError(504, 'GatewayTimeoutError', 'The upstream server takes too long to answer');
const stalled = new RequestError(408, 'RequestTimeoutError', 'The request took too long to arrive');

/** Passes requests on to another server, bodies streaming both ways. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #agent: HttpAgent;
  readonly #host: string;
  readonly #proxy: ProxyServer;
  readonly #passed = new WeakSet<ServerResponse>();
  /** What is under way upstream for a request. */
  readonly #sent = new WeakMap<IncomingMessage, ClientRequest>();
  readonly #stopWatching = new WeakMap<IncomingMessage, () => void>();
  readonly #retried = new WeakSet<IncomingMessage>();
  /** Connections that are no longer HTTP. */
  readonly #upgraded = new Set<Duplex>();
  #isClosing = false;
  #isAnswering = true;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    const url = new URL(options.address);
    this.#host = url.host;
    const agentOptions = { keepAlive: true, timeout: idleTime };
    this.#agent = url.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
    const { protocol, port, pathname } = url;
    // a socket takes an IPv6 address without brackets
    const target = { protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port, pathname };
    const upgradeTimeout = options.timeouts.upstream;
    this.#proxy = createProxyServer({ target, agent: this.#agent, selfHandleResponse: true, upgradeTimeout });
    this.#proxy.on('proxyReq', (sent, request) => void this.#sent.set(request, sent));
    this.#proxy.on('proxyRes', (reply, request, response) => this.#reply(reply, request, response));
    this.#proxy.on('error', (error, request, response) => this.#failed(error, request!, response!));
    this.#proxy.on('open', () => options.upgraded());
  }

  /** Whether a response was left to the upstream server. */
  hasPassed(response: ServerResponse): boolean {
    return this.#passed.has(response);
  }

  /** Passes a request on. Its response is the upstream server's, without any header that was set before. */
  pass(request: IncomingMessage, response: ServerResponse): void {
    this.#passed.add(response);
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    // the server's limit is on silence in both directions; a reply may take longer to begin or go on
    request.socket.setTimeout?.(0);
    request.url = withoutOrigin(request.url ?? '/');
    const { timeouts } = this.#options;
    const limits = { client: timeouts.request, upstream: timeouts.upstream };
    const stop = watch(request, limits, (who) => {
      this.#refuse(who === 'client' ? stalled : tooSlow, request, response);
      if (who === 'upstream') this.#noteState(false, 'ETIMEDOUT');
    });
    this.#stopWatching.set(request, stop);
    response.once('close', stop);
    this.#send(request, response);
  }

  /** Passes on a connection that is to become a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    request.url = withoutOrigin(request.url ?? '/');
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    const headers = this.#headersFor(request, true);
    this.#proxy.ws(request, socket as never, { headers }, head).catch((error) => this.#failed(error, request, socket));
  }

  /** From now on connections end with their reply. Upgraded ones, which have no end of their own, are closed. */
  close(): void {
    this.#isClosing = true;
    for (const socket of this.#upgraded) socket.destroy();
  }

  /** Gives back the connections to the upstream server. */
  destroy(): void {
    this.#agent.destroy();
  }

  #headersFor(request: IncomingMessage, isUpgrade = false): Record<string, string> {
    const { trust } = this.#options;
    const headers = forwardedHeaders(request, this.#host, trust);
    removeUnpassed(request, trust, isUpgrade);
    return headers;
  }

  #send(request: IncomingMessage, response: ServerResponse): void {
    const headers = this.#headersFor(request);
    this.#proxy.web(request, response, { headers }).catch((error) => this.#failed(error, request, response));
  }

  #reply(reply: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
    this.#stopWatching.get(request)?.();
    this.#noteState(true);
    if (response.headersSent || response.destroyed) return void reply.destroy();
    const headers = endToEnd(reply);
    if (this.#isClosing) headers.push('Connection', 'close');
    response.writeHead(reply.statusCode!, reply.statusMessage, headers);
    // a stream of events may begin long before its first event
    response.flushHeaders();
    reply.pipe(response);
  }

  #failed(error: NodeJS.ErrnoException, request: IncomingMessage, response: ServerResponse | Duplex): void {
    if (response.destroyed) return;
    if (!('setHeader' in response)) {
      this.#noteState(false, error.code);
      return answerRaw(unreachable, response);
    }
    if (response.writableEnded) return;
    if (this.#mayRetry(error, request, response)) {
      this.#retried.add(request);
      return this.#send(request, response);
    }
    this.#stopWatching.get(request)?.();
    this.#noteState(false, error.code);
    if (response.headersSent) response.destroy();
    else this.#refuse(unreachable, request, response);
  }

  /** Whether an idle connection was closed as it was used again, by a request that can be sent twice. */
  #mayRetry({ code }: NodeJS.ErrnoException, request: IncomingMessage, response: ServerResponse): boolean {
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    if (code !== 'ECONNRESET' || !isSafe || hasBody(request) || response.headersSent) return false;
    return this.#sent.get(request)?.reusedSocket === true && !this.#retried.has(request);
  }

  /** Answers in place of the upstream server, and gives up what is under way. */
  #refuse(error: RequestError, request: IncomingMessage, response: ServerResponse): void {
    // the rest of a body would be taken for another request
    if (!request.complete) response.setHeader('Connection', 'close');
    response.once('finish', () => {
      if (!request.complete) request.socket.destroySoon();
    });
    sendError(request, response, error, this.#options.headers(request));
    this.#sent.get(request)?.destroy();
  }

  /** Logs when the upstream server ceases to answer, and when it answers again. */
  #noteState(isAnswering: boolean, code?: string): void {
    if (isAnswering === this.#isAnswering) return;
    this.#isAnswering = isAnswering;
    const { log, address } = this.#options;
    if (isAnswering) log.info({ upstream: address }, 'the upstream server answers again');
    else log.warn({ upstream: address, code }, 'the upstream server does not answer');
  }
}

/** Answers a connection that was to be upgraded, and ends it. */
function answerRaw(error: RequestError, socket: Duplex): void {
  const body = JSON.stringify(error.toBody());
  const lines = [
    `HTTP/1.1 ${error.status} Bad Gateway`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

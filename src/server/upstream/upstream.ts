import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { createProxyServer, type ProxyServer } from 'httpxy';
import type { Logger } from 'pino';
import { RequestError } from '../../core/errors.ts';
import { sendError } from '../../http/error-replies.ts';
import { withoutOrigin } from '../../http/prefix.ts';
import type { HeaderList } from '../../http/send.ts';
import { answerError } from '../connections/client-errors.ts';
import type { Trust } from '../connections/request-details.ts';
import { endToEndHeaders, forwardedHeaders, removeUnforwarded } from './headers.ts';
import { hasBody, watchTimeouts } from './timeouts.ts';

/** Idle timeout of upstream connections, in milliseconds. Node servers close theirs after five seconds. */
const idleTime = 4000;

export interface UpstreamOptions {
  /** An http or https URL. Its path is prepended to the path of each request. */
  readonly address: string;
  readonly timeouts: { readonly request: number; readonly upstream: number };
  readonly trust: Trust;
  readonly log: Logger;
  /** Returns the static headers of error replies. */
  headers(request: IncomingMessage): HeaderList;
  /** Called for each upgraded connection. */
  onUpgrade(): void;
}

const unreachable = new RequestError(502, 'BadGatewayError', 'The upstream server does not answer');
const tooSlow = new RequestError(504, 'GatewayTimeoutError', 'The upstream server takes too long to answer');
const stalled = new RequestError(408, 'RequestTimeoutError', 'The request took too long to arrive');

/** A forwarded request. */
interface Forwarding {
  /** The request to the upstream server. Null until it has a connection. */
  upstream: ClientRequest | null;
  isRetried: boolean;
  stopWatching(): void;
}

/** Forwards requests to another server. Streams bodies in both directions. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #agent: HttpAgent;
  readonly #host: string;
  readonly #proxy: ProxyServer;
  readonly #forwardings = new WeakMap<IncomingMessage, Forwarding>();
  /** Connections that are no longer HTTP. */
  readonly #upgraded = new Set<Duplex>();
  #isClosing = false;
  #isAvailable = true;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    const url = new URL(options.address);
    this.#host = url.host;
    const agentOptions = { keepAlive: true, timeout: idleTime };
    this.#agent = url.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
    const { protocol, port, pathname } = url;
    // sockets need an IPv6 address without brackets
    const target = { protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port, pathname };
    const upgradeTimeout = options.timeouts.upstream;
    this.#proxy = createProxyServer({ target, agent: this.#agent, selfHandleResponse: true, upgradeTimeout });
    this.#proxy.on('proxyReq', (upstream, request) => {
      const forwarding = this.#forwardings.get(request);
      if (forwarding) forwarding.upstream = upstream;
    });
    this.#proxy.on('proxyRes', (reply, request, response) => this.#reply(reply, request, response));
    this.#proxy.on('error', (error, request, response) => this.#onError(error, request!, response!));
    this.#proxy.on('open', () => options.onUpgrade());
  }

  /** Whether the upstream server answers this response. */
  hasForwarded(response: ServerResponse): boolean {
    return this.#forwardings.has(response.req);
  }

  /** Forwards a request. Removes headers that were set on the response before. */
  forward(request: IncomingMessage, response: ServerResponse): void {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    // turn off the socket's idle timeout, because an upstream reply may pause longer
    request.socket.setTimeout?.(0);
    request.url = withoutOrigin(request.url ?? '/');
    const { timeouts } = this.#options;
    const limits = { client: timeouts.request, upstream: timeouts.upstream };
    const stopWatching = watchTimeouts(request, limits, (side) => {
      this.#sendError(side === 'client' ? stalled : tooSlow, request, response);
      if (side === 'upstream') this.#setAvailable(false, 'ETIMEDOUT');
    });
    this.#forwardings.set(request, { upstream: null, isRetried: false, stopWatching });
    response.once('close', stopWatching);
    this.#send(request, response);
  }

  /** Forwards a connection that becomes a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    request.url = withoutOrigin(request.url ?? '/');
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    const headers = this.#headersFor(request, true);
    this.#proxy.ws(request, socket as never, { headers }, head).catch((error) => this.#onError(error, request, socket));
  }

  /** Adds `Connection: close` to further replies, and closes upgraded connections. */
  close(): void {
    this.#isClosing = true;
    for (const socket of this.#upgraded) socket.destroy();
  }

  /** Closes the connections to the upstream server. */
  destroy(): void {
    this.#agent.destroy();
  }

  #headersFor(request: IncomingMessage, isUpgrade = false): Record<string, string> {
    const { trust } = this.#options;
    const headers = forwardedHeaders(request, this.#host, trust);
    removeUnforwarded(request, trust, isUpgrade);
    return headers;
  }

  #send(request: IncomingMessage, response: ServerResponse): void {
    const headers = this.#headersFor(request);
    this.#proxy.web(request, response, { headers }).catch((error) => this.#onError(error, request, response));
  }

  #reply(reply: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
    this.#forwardings.get(request)?.stopWatching();
    this.#setAvailable(true);
    if (response.headersSent || response.destroyed) return void reply.destroy();
    const headers = endToEndHeaders(reply);
    if (this.#isClosing) headers.push('Connection', 'close');
    response.writeHead(reply.statusCode!, reply.statusMessage, headers);
    // an event stream may start long before its first event
    response.flushHeaders();
    reply.pipe(response);
  }

  #onError(error: NodeJS.ErrnoException, request: IncomingMessage, response: ServerResponse | Duplex): void {
    if (response.destroyed) return;
    if (!('setHeader' in response)) {
      this.#setAvailable(false, error.code);
      return void answerError(response, unreachable);
    }
    if (response.writableEnded) return;
    if (this.#mayRetry(error, request, response)) {
      this.#forwardings.get(request)!.isRetried = true;
      return this.#send(request, response);
    }
    this.#forwardings.get(request)?.stopWatching();
    this.#setAvailable(false, error.code);
    if (response.headersSent) response.destroy();
    else this.#sendError(unreachable, request, response);
  }

  /** Whether a safe request failed because the upstream server closed a reused idle connection. */
  #mayRetry({ code }: NodeJS.ErrnoException, request: IncomingMessage, response: ServerResponse): boolean {
    const isSafe = request.method === 'GET' || request.method === 'HEAD';
    if (code !== 'ECONNRESET' || !isSafe || hasBody(request) || response.headersSent) return false;
    const forwarding = this.#forwardings.get(request);
    return forwarding?.upstream?.reusedSocket === true && !forwarding.isRetried;
  }

  /** Sends an error in place of the upstream reply, and aborts the upstream request. */
  #sendError(error: RequestError, request: IncomingMessage, response: ServerResponse): void {
    // the rest of the body would be parsed as another request
    if (!request.complete) response.setHeader('Connection', 'close');
    response.once('finish', () => {
      if (!request.complete) request.socket.destroySoon();
    });
    sendError(request, response, error, this.#options.headers(request));
    this.#forwardings.get(request)?.upstream?.destroy();
  }

  /** Logs when the upstream server becomes unavailable or available again. */
  #setAvailable(isAvailable: boolean, code?: string): void {
    if (isAvailable === this.#isAvailable) return;
    this.#isAvailable = isAvailable;
    const { log, address } = this.#options;
    if (isAvailable) log.info({ upstream: address }, 'the upstream server answers again');
    else log.warn({ upstream: address, code }, 'the upstream server does not answer');
  }
}

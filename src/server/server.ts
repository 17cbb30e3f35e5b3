import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import proxyaddr from 'proxy-addr';
import { NotFoundError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import type { Explanation } from '../engine/trace.ts';
import { createListener, type ServedContent } from '../http/app.ts';
import { codecs } from '../http/codecs.ts';
import { type RequestHooks, sendFailure } from '../http/router.ts';
import { sendReply } from '../http/send.ts';
import { errorReply, type Reply } from '../reply/reply.ts';
import { clientAddress, type Trust } from './client-address.ts';
import { hasEndedReading } from './end-reading.ts';
import { addressOf, close, listen } from './listening.ts';
import { logRequests } from './log.ts';
import { standardError } from './log-writer.ts';
import { type MeasuredContent, Metrics } from './metrics.ts';
import { appOf, atPaths, operationHandlers, unavailable } from './operations.ts';
import { createLimiter, type Limiter } from './rate-limit.ts';
import { RequestIds } from './request-ids.ts';
import { RequestQueue } from './request-queue.ts';
import { SlowQueries } from './slow-queries.ts';
import { SlowReaders } from './slow-readers.ts';
import { createBoundedServer } from './sockets.ts';
import { StaticHeaders } from './static-headers.ts';
import { UnsentReplies } from './unsent.ts';
import { limitBody } from './upstream/patience.ts';
import { createUpstreamTest } from './upstream/routing.ts';
import { acceptWebSockets } from './upstream/upgrades.ts';
import { Upstream } from './upstream/upstream.ts';

/** The interface of content that the server uses. */
export interface ServerContent extends ServedContent, MeasuredContent {
  readonly summary: ServedContent['summary'] & MeasuredContent['summary'];
  explain(url: string): Explanation;
  /** Whether a path below the prefix matches a content route. The entry need not exist. */
  hasRoute(path: string): boolean;
  /** Returns a unique name of a caller with known credentials, or null for any other caller. */
  callerName(authorization: string | undefined): string | null;
}

const loading = 'The snapshot is being loaded';
const stopping = 'The server is stopping';
const overloaded = 'Too many large replies are being sent: try again in a moment';
const crowded =
  'There are more client addresses than rate limit counters. Further addresses share counters until others expire.';
const busy = 'Too many requests are queued: try again in a moment';

/** The server's own routes in metrics. Other URLs are counted as `other`. */
const ownRoutes = new Set(['/', '/_health', '/_ready', '/_metrics']);
/** Routes that bypass the request queue. */
const urgentRoutes = new Set(['/_health', '/_ready', '/_metrics']);
const otherRoute = 'other';
/** The route names of forwarded requests and of uploaded files in metrics. */
const upstreamRoute = 'upstream';
const uploadsRoute = '/uploads';

/**
 * The HTTP server. It answers with 503 until `serve` is called with content. `stop` lets requests in progress finish.
 * Content can be replaced at any time. A request always uses the content with which it started.
 */
export class LecternServer {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #main: Server;
  readonly #admin: Server | null;
  readonly #staticHeaders: StaticHeaders;
  readonly #metrics: Metrics | null;
  readonly #limiter: Limiter | null;
  readonly #queue: RequestQueue;
  readonly #unsent: UnsentReplies;
  readonly #slowReaders: SlowReaders;
  readonly #slowQueries: SlowQueries;
  /** Middlewares that run first for requests other than content requests. */
  readonly #before: readonly RequestHandler[];
  readonly #clientAddress: (request: IncomingMessage) => string | undefined;
  readonly #requestIds: RequestIds;
  readonly #upstream: Upstream | null;
  #content: ServerContent | null = null;
  #isForwarded: (request: IncomingMessage) => boolean;
  #answer: RequestListener;
  #stopped: Promise<void> | null = null;

  constructor(config: Config, log: Logger) {
    this.#config = config;
    this.#log = log;
    const trusted = proxyaddr.compile(config.trustProxy);
    this.#clientAddress = (request) => clientAddress(request, trusted);
    this.#requestIds = new RequestIds(({ socket }) => trusted(socket.remoteAddress ?? '', 0));
    this.#staticHeaders = new StaticHeaders(config);
    this.#queue = new RequestQueue(config.queue, (request, response, closes) =>
      this.#refuse(request, response, closes),
    );
    this.#unsent = new UnsentReplies(config.connections.unsentBytes);
    this.#slowQueries = new SlowQueries(log, config.log.slowMilliseconds);
    this.#limiter = this.#createLimiter();
    this.#main = this.#createServer((request, response) => this.#receive(request, response));
    this.#main.on('connection', () => this.#queue.accepted());
    this.#slowReaders = new SlowReaders(this.#main, config.timeouts.send, () => this.#metrics?.cutOff());
    this.#metrics = this.#createMetrics();
    this.#upstream = this.#createUpstream(trusted);
    this.#isForwarded = createUpstreamTest(null, config.prefix);

    const operations = operationHandlers({ unready: () => this.#unready(), metrics: this.#metrics });
    const hasAdmin = config.adminPort !== undefined;
    const health = { '/_health': operations['/_health'] };
    this.#before = [this.#observeOther, ...this.#staticHeaders.middlewares, atPaths(hasAdmin ? health : operations)];
    this.#admin = hasAdmin
      ? this.#createServer(appOf([atPaths(operations)], () => new NotFoundError(), this.#onError))
      : null;
    this.#answer = appOf(this.#before, () => unavailable(loading), this.#onError);
  }

  /** Listens on the main port and the admin port. Rejects with a ListenError. */
  async listen(): Promise<void> {
    const { host, port, adminHost, adminPort } = this.#config;
    await listen(this.#main, { host, port, flags: { host: '--host', port: '--port' } });
    if (!this.#admin) return;
    try {
      const flags = { host: '--admin-host', port: '--admin-port' };
      await listen(this.#admin, { host: adminHost, port: adminPort!, flags });
    } catch (error) {
      // without its admin port, the server could never be seen as ready
      this.#main.close();
      this.#main.closeAllConnections();
      throw error;
    }
  }

  /** Serves this content for all further requests. */
  serve(content: ServerContent): void {
    const upstream = this.#upstream;
    this.#answer = createListener(content, {
      before: this.#before,
      hooks: this.#createHooks(content),
      missingUpload: upstream ? (request, response) => upstream.forward(request, response) : undefined,
    });
    this.#content = content;
    this.#isForwarded = createUpstreamTest(content, content.prefix);
  }

  get address(): string {
    return addressOf(this.#main);
  }

  /** The URL of the admin port, or null without one. */
  get adminAddress(): string | null {
    return this.#admin && addressOf(this.#admin);
  }

  /** Stops accepting connections, lets requests finish within the limit, and resolves when all are closed. */
  stop(): Promise<void> {
    this.#stopped ??= this.#close();
    return this.#stopped;
  }

  async #close(): Promise<void> {
    this.#log.debug('stopping');
    this.#staticHeaders.close();
    this.#upstream?.close();
    const { stop } = this.#config.timeouts;
    await close(this.#main, this.#slowReaders, stop, this.#log);
    this.#upstream?.destroy();
    // closed last, so that health and metrics stay available while the server stops
    if (this.#admin) await close(this.#admin, null, stop, this.#log);
    this.#log.debug('stopped');
  }

  #unready(): string | null {
    if (this.#stopped) return stopping;
    return this.#content ? null : loading;
  }

  #createServer(listener: RequestListener): Server {
    const { log } = this.#config;
    const about = {
      idOf: (request: IncomingMessage) => this.#requestIds.of(request),
      addressOf: this.#clientAddress,
    };
    const logged = log.requests ? logRequests(listener, this.#log, about) : listener;
    return createBoundedServer(this.#config, logged, (code, status) => {
      if (status !== null) this.#metrics?.clientError(status);
      this.#log.debug({ code, status }, 'malformed request');
    });
  }

  #createLimiter(): Limiter | null {
    const { rateLimit } = this.#config;
    if (!rateLimit) return null;
    return createLimiter(rateLimit, {
      nameOf: ({ headers }) => this.#content?.callerName(headers.authorization) ?? null,
      addressOf: this.#clientAddress,
      headers: (request) => this.#staticHeaders.of(request),
      refused: (request) => this.#observeRefusal(request, 429),
      crowded: () => this.#log.warn(this.#limiter?.counts.figures, crowded),
    });
  }

  #createUpstream(trust: Trust): Upstream | null {
    const { upstream: address, timeouts } = this.#config;
    if (address === undefined) return null;
    const upstream = new Upstream({
      address,
      timeouts,
      trust,
      log: this.#log,
      headers: (request) => this.#staticHeaders.of(request),
      onUpgrade: () => this.#metrics?.requestTimes.observe(upstreamRoute, 101, 0),
    });
    acceptWebSockets(this.#main, (request, socket, head) => {
      if (this.#config.log.requests) this.#logUpgrade(request);
      upstream.upgrade(request, socket, head);
    });
    return upstream;
  }

  /** Logs an upgrade at its start, because a WebSocket has no reply whose end could be logged. */
  #logUpgrade(request: IncomingMessage): void {
    const { method, url = '' } = request;
    const path = url.split('?', 1)[0].slice(0, 500);
    this.#log.info(
      { id: this.#requestIds.of(request), method, path, address: this.#clientAddress(request) },
      'upgrade',
    );
  }

  #createMetrics(): Metrics | null {
    if (!this.#config.metrics) return null;
    return new Metrics({
      content: () => this.#content,
      isReady: () => this.#unready() === null,
      connections: () => this.#slowReaders.connections,
      unsentBytes: () => this.#unsent.bytes,
      lostLogLines: () => standardError.lostLines,
      codecs: () => codecs.figures,
      queue: () => this.#queue.figures,
      limitedAddresses: () => this.#limiter?.counts.figures ?? null,
    });
  }

  /** Logs an unexpected exception. */
  readonly #onError = (request: IncomingMessage, error: unknown): void => {
    const { method, url } = request;
    this.#log.error({ id: this.#requestIds.of(request), method, url, err: error }, 'failed');
  };

  /** Creates the hooks for requests to this content. */
  #createHooks(content: ServerContent): RequestHooks {
    const times = this.#metrics?.requestTimes;
    return {
      headers: (request) => this.#staticHeaders.of(request),
      beforeSend: (response, reply) => {
        if (reply.missing) this.#log.debug({ route: reply.route, ...reply.missing }, 'missing permission');
        if (this.#unsent.take(reply.body, response)) return reply;
        return overloadedReply(overloaded, reply.route);
      },
      afterSend: (path, status, route = otherRoute, milliseconds, request) => {
        times?.observe(route, status, milliseconds);
        if (this.#slowQueries.isSlow(milliseconds)) {
          const id = this.#requestIds.of(request);
          const url = `${content.prefix}/${path}`;
          this.#slowQueries.report({ id, route, url, milliseconds }, () => content.explain(url));
        }
      },
      onError: this.#onError,
    };
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    if (hasEndedReading(request.socket)) return;
    // a pipelined reply has to wait for earlier replies in any case
    if (response.socket !== null && this.#bypassesQueue(request)) this.#begin(request, response);
    else this.#queue.run(request, response, this.#begin);
  }

  #bypassesQueue(request: IncomingMessage): boolean {
    return isUrgent(request.url ?? '') || (this.#upstream !== null && this.#isForwarded(request));
  }

  /** Forwards a request, or answers it if its caller is within the rate limit. */
  readonly #begin: RequestListener = (request, response) => {
    if (this.#upstream) {
      if (this.#isForwarded(request)) {
        this.#observe(request, response);
        return this.#upstream.forward(request, response);
      }
      limitBody(request, this.#config.timeouts.request);
    }
    const { url = '' } = request;
    if (!this.#limiter || url === '/' || isUrgent(url)) return this.#answer(request, response);
    this.#limiter.run(request, response, (error) => {
      // the limiter calls back in a later turn of the event loop
      if (!error) return this.#queue.run(request, response, () => this.#answer(request, response));
      this.#log.error({ err: error }, 'the rate limit failed');
      this.#observeRefusal(request, 500);
      sendFailure(request, response, this.#staticHeaders.of(request));
    });
  };

  /** Observes requests other than content requests, whose hooks observe them. */
  readonly #observeOther: RequestHandler = (request, response, next) => {
    this.#observe(request, response);
    next();
  };

  /** Rejects a request because the queue is full. */
  #refuse(request: IncomingMessage, response: ServerResponse, closes: boolean): void {
    const staticHeaders = this.#staticHeaders.of(request);
    const isClosing = closes && !staticHeaders.includes('Connection');
    const headers = isClosing ? [...staticHeaders, 'Connection', 'close'] : staticHeaders;
    sendReply(request, response, overloadedReply(busy), headers);
    this.#observeRefusal(request, 503);
  }

  /** Counts a reply that does not come from the content after it is sent. */
  #observe({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const started = performance.now();
    response.once('finish', () => {
      const route = this.#upstream?.hasForwarded(response) ? upstreamRoute : this.#routeOf(url);
      this.#metrics?.requestTimes.observe(route, response.statusCode, performance.now() - started);
    });
  }

  #observeRefusal(request: IncomingMessage, status: number): void {
    this.#metrics?.requestTimes.observe(this.#routeOf(request.url ?? ''), status, 0);
  }

  /** Returns the route name in metrics of a URL that the content does not answer. */
  #routeOf(url: string): string {
    if (this.#content?.hasUploads && url.startsWith(`${uploadsRoute}/`)) return uploadsRoute;
    return ownRoutes.has(url) ? url : otherRoute;
  }
}

/** Whether a URL is a health, readiness or metrics endpoint, with or without a query string. */
function isUrgent(url: string): boolean {
  return url.startsWith('/_') && urgentRoutes.has(url.split('?', 1)[0]);
}

/** Creates a 503 reply with Retry-After. */
function overloadedReply(reason: string, route?: string): Reply {
  const refused = errorReply(unavailable(reason), route);
  return { ...refused, headers: { ...refused.headers, 'Retry-After': '1' } };
}

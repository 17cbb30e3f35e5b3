import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import proxyaddr from 'proxy-addr';
import { NotFoundError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import type { Explanation } from '../engine/trace.ts';
import { createListener, type ServedContent } from '../http/app.ts';
import { codecs } from '../http/codecs.ts';
import { createContentUrlTest, type RequestHooks, sendFailure } from '../http/router.ts';
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
import { upstreamRequests } from './upstream/routing.ts';
import { acceptWebSockets } from './upstream/upgrades.ts';
import { Upstream } from './upstream/upstream.ts';

/** What the server needs of the content that it serves. */
export interface ServerContent extends ServedContent, MeasuredContent {
  readonly summary: ServedContent['summary'] & MeasuredContent['summary'];
  explain(url: string): Explanation;
  /** Whether a URL is a route of the content, whatever is found there. */
  hasRoute(url: string): boolean;
  /** What tells a caller with known credentials from others; null for all others. */
  callerName(authorization: string | undefined): string | null;
}

const loading = 'The snapshot is being loaded';
const stopping = 'The server is stopping';
const overloaded = 'Too many large replies are being sent: try again in a moment';
const crowded =
  'more addresses ask than the rate limit counts one by one; further ones share counters until others have been quiet';
const busy = 'Too many requests wait to be answered: try again in a moment';

/** Routes that are not content, as far as metrics name them: all else is one. */
const ownRoutes = new Set(['/', '/_health', '/_ready', '/_metrics']);
/** Routes that are answered at once, however many requests wait. */
const urgentRoutes = new Set(['/_health', '/_ready', '/_metrics']);
const otherRoute = 'other';
/** The names of all that is passed on, and of uploaded files. */
const upstreamRoute = 'upstream';
const uploadsRoute = '/uploads';

/**
 * The server around content: it listens at once, answers with 503 until `serve` gives it content, and after `stop`
 * finishes what is under way. Content can be replaced at any time; a request ends on the content that it began with.
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
  /** What comes before all else where content is not asked for. */
  readonly #before: readonly RequestHandler[];
  readonly #clientAddress: (request: IncomingMessage) => string | undefined;
  readonly #requestIds: RequestIds;
  readonly #upstream: Upstream | null;
  #content: ServerContent | null = null;
  #isContentUrl: (url: string) => boolean = () => false;
  #goesUpstream: (request: IncomingMessage) => boolean;
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
    this.#goesUpstream = upstreamRequests(null, config.prefix);

    const operations = operationHandlers({ unready: () => this.#unready(), metrics: this.#metrics });
    const hasAdmin = config.adminPort !== undefined;
    const health = { '/_health': operations['/_health'] };
    this.#before = [...this.#staticHeaders.middlewares, atPaths(hasAdmin ? health : operations)];
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
      // a server without its admin port would live and never get ready
      this.#main.close();
      this.#main.closeAllConnections();
      throw error;
    }
  }

  /** From now on this content is served. */
  serve(content: ServerContent): void {
    const upstream = this.#upstream;
    this.#answer = createListener(content, {
      before: this.#before,
      hooks: this.#createHooks(content),
      missingUpload: upstream ? (request, response) => upstream.pass(request, response) : undefined,
    });
    this.#content = content;
    this.#goesUpstream = upstreamRequests(content, content.prefix);
    this.#isContentUrl = createContentUrlTest(content);
  }

  get address(): string {
    return addressOf(this.#main);
  }

  /** Where the admin port is, if there is one. */
  get adminAddress(): string | null {
    return this.#admin && addressOf(this.#admin);
  }

  /** Takes no new connection, finishes what is under way within the limit, and resolves when all is closed. */
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
    // the last to go, so that it can be seen how the rest goes
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
      this.#log.debug({ code, status }, 'a request could not be read');
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
      upgraded: () => this.#metrics?.requestTimes.observe(upstreamRoute, 101, 0),
    });
    acceptWebSockets(this.#main, (request, socket, head) => {
      if (this.#config.log.requests) this.#logUpgrade(request);
      upstream.upgrade(request, socket, head);
    });
    return upstream;
  }

  /** A WebSocket has no reply whose end could be logged. */
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

  /** Logs an exception that nobody expected. */
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
      afterSend: (url, status, route = otherRoute, milliseconds, request) => {
        times?.observe(route, status, milliseconds);
        if (this.#slowQueries.isSlow(milliseconds)) {
          const id = this.#requestIds.of(request);
          this.#slowQueries.answered({ id, route, url, milliseconds }, () => content.explain(url));
        }
      },
      onError: this.#onError,
    };
  }

  /** Whether the content answers a request that is not refused before, and then says so itself. */
  #isForContent({ url = '', method }: IncomingMessage): boolean {
    return this.#isContentUrl(url) && method !== 'OPTIONS';
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    if (hasEndedReading(request.socket)) return;
    // the reply to a request that was sent behind another has to wait in any case
    if (response.socket !== null && this.#passesQueue(request)) this.#begin(request, response);
    else this.#queue.run(request, response, this.#begin);
  }

  #passesQueue(request: IncomingMessage): boolean {
    return isUrgent(request.url ?? '') || (this.#upstream !== null && this.#goesUpstream(request));
  }

  /** Passes a request on, or answers it if its caller may send it. */
  readonly #begin: RequestListener = (request, response) => {
    if (this.#upstream) {
      if (this.#goesUpstream(request)) {
        this.#observe(request, response);
        return this.#upstream.pass(request, response);
      }
      limitBody(request, this.#config.timeouts.request);
    }
    const { url = '' } = request;
    if (!this.#limiter || url === '/' || isUrgent(url)) return this.#answerTimed(request, response);
    this.#limiter.run(request, response, (error) => {
      // the limiter calls back when this turn is over
      if (!error) return this.#queue.run(request, response, this.#answerTimed);
      this.#log.error({ err: error }, 'the rate limit failed');
      this.#observeRefusal(request, 500);
      sendFailure(request, response, this.#staticHeaders.of(request));
    });
  };

  readonly #answerTimed: RequestListener = (request, response) => {
    if (!this.#isForContent(request)) this.#observe(request, response);
    this.#answer(request, response);
  };

  /** Answers a request that finds no room in the queue. */
  #refuse(request: IncomingMessage, response: ServerResponse, closes: boolean): void {
    const staticHeaders = this.#staticHeaders.of(request);
    const isClosing = closes && !staticHeaders.includes('Connection');
    const headers = isClosing ? [...staticHeaders, 'Connection', 'close'] : staticHeaders;
    sendReply(request, response, overloadedReply(busy), headers);
    this.#observeRefusal(request, 503);
  }

  /** Counts a reply that is not the content's when it has been sent. */
  #observe({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const started = performance.now();
    response.once('finish', () => {
      const route = this.#upstream?.hasPassed(response) ? upstreamRoute : this.#routeOf(url);
      this.#metrics?.requestTimes.observe(route, response.statusCode, performance.now() - started);
    });
  }

  #observeRefusal(request: IncomingMessage, status: number): void {
    const route = this.#isForContent(request) ? otherRoute : this.#routeOf(request.url ?? '');
    this.#metrics?.requestTimes.observe(route, status, 0);
  }

  /** What metrics call a URL that is not the content's. */
  #routeOf(url: string): string {
    if (this.#content?.hasUploads && url.startsWith(`${uploadsRoute}/`)) return uploadsRoute;
    return ownRoutes.has(url) ? url : otherRoute;
  }
}

/** Whether a URL is one of those who run the server, with or without a query string. */
function isUrgent(url: string): boolean {
  return url.startsWith('/_') && urgentRoutes.has(url.split('?', 1)[0]);
}

/** 503 with Retry-After. */
function overloadedReply(reason: string, route?: string): Reply {
  const refused = errorReply(unavailable(reason), route);
  return { ...refused, headers: { ...refused.headers, 'Retry-After': '1' } };
}

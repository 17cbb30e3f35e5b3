/**
 * Takes each request to the content, to the app or to the upstream server. Forwarded requests, health checks and
 * metrics skip the queue and the rate limit. The home page at `/` skips only the limit. A limited request waits in the
 * queue before the limit and again after it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { overloadedReply, sendFailure } from '../../http/error-replies.ts';
import { serverNames } from '../../http/prefix.ts';
import { sendReply } from '../../http/send.ts';
import { VersionWaits } from '../../http/version-waits.ts';
import type { Config } from '../../model/settings/config.ts';
import type { Reply } from '../../query/reply/reply.ts';
import { type RequestTimes, routeNames } from '../metrics/request-times.ts';
import { hasEndedReading } from '../node-internals.ts';
import { createLimiter, type Limiter } from '../rate-limit/rate-limit.ts';
import { createRateLimitMemory, type RateLimitFigures, type RateLimitMemory } from '../rate-limit/rate-limit-store.ts';
import { limitBody } from '../upstream/timeouts.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type QueueFigures, RequestQueue } from './request-queue.ts';
import type { StaticHeaders } from './static-headers.ts';

const busy = 'Too many requests are queued: try again in a moment';
const sharedCounters =
  'There are more client addresses than rate limit counters. Further addresses share counters until others expire.';

/** Where requests go. */
export interface Routing {
  /** Whether the content answers requests below `/uploads`. */
  readonly hasUploads: boolean;
  /** Returns a unique name of a caller with known credentials, or null for any other caller. */
  callerName(request: IncomingMessage): string | null;
  /** Whether a request is for the upstream server, if there is one. */
  isForwarded(request: IncomingMessage): boolean;
  readonly answer: RequestListener;
}

export interface DispatcherOptions {
  readonly config: Pick<Config, 'queue' | 'rateLimit' | 'timeouts'>;
  readonly log: Logger;
  readonly staticHeaders: StaticHeaders;
  readonly times: RequestTimes | null;
  readonly upstream: Upstream | null;
  /** The counters of the rate limit, if threads share them. */
  readonly counters?: RateLimitMemory;
  addressOf(request: IncomingMessage): string | undefined;
}

export class RequestDispatcher {
  /** Replaced in one assignment. */
  routing: Routing;
  /** Requests that wait for a version, with places in the queue. */
  readonly waits: VersionWaits;
  readonly #options: DispatcherOptions;
  readonly #queue: RequestQueue;
  readonly #limiter: Limiter | null;

  constructor(options: DispatcherOptions, routing: Routing) {
    this.#options = options;
    this.routing = routing;
    this.#queue = new RequestQueue(options.config.queue, (request, response, closes) =>
      this.#refuse(request, response, closes),
    );
    this.waits = new VersionWaits({
      hold: (request, response) => this.#queue.hold(request, response),
      admit: (request, response, answer) => this.#queue.admit(request, response, answer),
      reject: (request, response, reply) => this.#reject(request, response, reply),
    });
    this.#limiter = this.#createLimiter();
  }

  get queueFigures(): QueueFigures {
    return this.#queue.figures;
  }

  get limitFigures(): RateLimitFigures {
    return this.#limiter?.counts.figures ?? { addresses: 0, shared: 0 };
  }

  /** Records that a connection was accepted. */
  accepted(): void {
    this.#queue.accepted();
  }

  /** Answers a request now or later. */
  readonly receive: RequestListener = (request, response) => {
    if (hasEndedReading(request.socket)) return;
    const { upstream } = this.#options;
    // a pipelined reply has to wait for earlier replies in any case
    if (response.socket !== null) {
      if (isUrgent(request.url ?? '')) return this.#begin(request, response);
      if (upstream && this.routing.isForwarded(request)) return this.#forward(request, response, upstream);
    }
    this.#queue.admit(request, response, this.#begin);
  };

  /** Forwards a request, or answers it if its caller is within the rate limit. */
  readonly #begin: RequestListener = (request, response) => {
    const { upstream, config, log, staticHeaders } = this.#options;
    if (upstream) {
      // the routing may be another one since the request was queued
      if (this.routing.isForwarded(request)) return this.#forward(request, response, upstream);
      limitBody(request, config.timeouts.request);
    }
    const { url = '' } = request;
    if (!this.#limiter || url === '/' || isUrgent(url)) return this.#answer(request, response);
    this.#limiter.limit(request, response, (error) => {
      // the limiter calls back in a later turn of the event loop
      if (!error) return this.#queue.admit(request, response, this.#answer);
      log.error({ err: error }, 'the rate limit failed');
      this.#observeRefusal(request, 500);
      sendFailure(request, response, staticHeaders.of(request));
    });
  };

  #forward(request: IncomingMessage, response: ServerResponse, upstream: Upstream): void {
    this.observe(request, response);
    upstream.forward(request, response);
  }

  readonly #answer: RequestListener = (request, response) => this.routing.answer(request, response);

  /** Rejects a request because the queue is full. */
  #refuse(request: IncomingMessage, response: ServerResponse, closes: boolean): void {
    const staticHeaders = this.#options.staticHeaders.of(request);
    const isClosing = closes && !staticHeaders.includes('Connection');
    const headers = isClosing ? [...staticHeaders, 'Connection', 'close'] : staticHeaders;
    this.#reject(request, response, overloadedReply(busy), headers);
  }

  #reject(
    request: IncomingMessage,
    response: ServerResponse,
    reply: Reply,
    headers = this.#options.staticHeaders.of(request),
  ): void {
    sendReply(request, response, reply, headers);
    this.#observeRefusal(request, reply.status);
  }

  #createLimiter(): Limiter | null {
    const { config, log, staticHeaders, addressOf } = this.#options;
    if (!config.rateLimit) return null;
    const { counters = createRateLimitMemory() } = this.#options;
    return createLimiter(config.rateLimit, counters, {
      nameOf: (request) => this.routing.callerName(request),
      addressOf,
      headers: (request) => staticHeaders.of(request),
      refused: (request) => this.#observeRefusal(request, 429),
      onSharedCounters: () => log.warn(this.limitFigures, sharedCounters),
    });
  }

  /** Counts a reply that does not come from the content after it is sent. */
  observe({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const { times, upstream } = this.#options;
    const started = performance.now();
    response.once('finish', () => {
      const route = upstream?.hasForwarded(response) ? routeNames.upstream : this.#routeOf(url);
      times?.observe(route, response.statusCode, performance.now() - started);
    });
  }

  #observeRefusal(request: IncomingMessage, status: number): void {
    this.#options.times?.observe(this.#routeOf(request.url ?? ''), status, 0);
  }

  /** Returns the route name in metrics of a URL that the content does not answer. */
  #routeOf(url: string): string {
    if (this.routing.hasUploads && url.startsWith(`${routeNames.uploads}/`)) return routeNames.uploads;
    const path = pathOf(url);
    return path === '/' || isUrgent(url) ? path : routeNames.other;
  }
}

/** Whether a URL is a health, readiness or metrics endpoint, with or without a query string: it bypasses the queue. */
function isUrgent(url: string): boolean {
  return url.startsWith('/_') && serverNames.has(pathOf(url).slice(1));
}

function pathOf(url: string): string {
  return url.split('?', 1)[0];
}

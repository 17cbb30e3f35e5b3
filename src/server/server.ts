import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import proxyaddr from 'proxy-addr';
import type { ContentSource } from '../content/registry/content-source.ts';
import { MemoryShares } from '../content/registry/memory-shares.ts';
import type { ServedContents } from '../content/registry/served-contents.ts';
import { loading } from '../http/error-replies.ts';
import type { Config } from '../model/settings/config.ts';
import { AdminServer } from './admin/admin-server.ts';
import { type MainPort, ownPort } from './connections/listening.ts';
import { type RequestDetails, requestDetails } from './connections/request-details.ts';
import { SlowReaders } from './connections/slow-readers.ts';
import { createBoundedServer } from './connections/sockets.ts';
import { EventStreams } from './events/event-streams.ts';
import { Webhook } from './events/webhook.ts';
import { logRequests } from './log/log.ts';
import type { Samples } from './metrics/metrics.ts';
import { RequestTimes } from './metrics/request-times.ts';
import type { MeasuredContent } from './metrics/server-state.ts';
import { type AnsweringThreads, atPaths, type Operations, OperationsState, operationHandlers } from './operations.ts';
import type { RateLimitMemory } from './rate-limit/rate-limit-store.ts';
import { Reloads } from './reloads.ts';
import { chosenRouting } from './requests/chosen-routing.ts';
import { entryRouting, type RoutingOptions, unavailableRouting } from './requests/content-routing.ts';
import { RequestDispatcher } from './requests/request-dispatcher.ts';
import { SlowQueries } from './requests/slow-queries.ts';
import { StaticHeaders } from './requests/static-headers.ts';
import { UnsentReplies } from './requests/unsent.ts';
import { type OpenTicket, Tickets } from './tickets/tickets.ts';
import { connectUpstream, createUpstreamTest } from './upstream/connect.ts';
import type { Upstream } from './upstream/upstream.ts';

/** The role of a server in its process. All threads share `counters`, those of the rate limit. */
export type ServerRole =
  /** The only thread. */
  | { readonly kind: 'alone' }
  /** The thread that opens the admin port, and leaves the main port to `threads`. */
  | {
      readonly kind: 'coordinator';
      readonly counters: RateLimitMemory | undefined;
      readonly threads: AnsweringThreads;
    }
  /**
   * One of the threads that share the main port. It opens no admin port. `operations` describe the whole process, and
   * the thread with the admin port opens tickets.
   */
  | {
      readonly kind: 'thread';
      readonly counters: RateLimitMemory | undefined;
      readonly operations: Operations;
      readonly openTicket: OpenTicket;
    };

/**
 * The HTTP server. It answers with 503 until `serveContents` is called. `stop` lets requests in progress finish.
 * Content can be replaced at any time. A request always uses the content with which it started.
 */
export class LecternServer {
  readonly #config: Config;
  readonly #log: Logger;
  /** Runs the reloads that the admin port requests. Its `begin` is called when reloads can run. */
  readonly reloads: Reloads;
  /** Of the links that the admin port gives out. */
  readonly tickets = new Tickets();
  readonly #main: Server;
  readonly #mainPort: MainPort;
  readonly #webhook: Webhook | null;
  /** Null without an admin port and a webhook. */
  readonly #events: EventStreams | null;
  readonly #admin: AdminServer | null;
  readonly #staticHeaders: StaticHeaders;
  readonly #times: RequestTimes | null;
  readonly #operations: OperationsState;
  readonly #dispatcher: RequestDispatcher;
  readonly #unsent: UnsentReplies;
  readonly #slowReaders: SlowReaders;
  readonly #details: RequestDetails;
  readonly #upstream: Upstream | null;
  readonly #routing: RoutingOptions;
  /** The loaded contents. */
  #contents: readonly (readonly [name: string, content: MeasuredContent])[] = [];
  #served: ServedContents | null = null;
  #opening: readonly (readonly [content: string, source: ContentSource])[] = [];
  #shares: MemoryShares | null = null;
  #stopped: Promise<void> | null = null;

  constructor(config: Config, log: Logger, role: ServerRole = { kind: 'alone' }) {
    this.#config = config;
    this.#log = log;
    this.reloads = new Reloads(log);
    const trusted = proxyaddr.compile(config.trustProxy);
    this.#details = requestDetails(trusted);
    this.#staticHeaders = new StaticHeaders(config);
    this.#unsent = new UnsentReplies(config.connections.unsentBytes);
    this.#times = config.metrics ? new RequestTimes(role.kind === 'thread') : null;
    this.#main = this.#createServer((request, response) => this.#dispatcher.receive(request, response));
    this.#main.on('connection', () => this.#dispatcher.accepted());
    this.#slowReaders = new SlowReaders(this.#main, config.timeouts.send, () => this.#operations.collected?.cutOff());
    const parts = { config, log, staticHeaders: this.#staticHeaders, times: this.#times, ...this.#details };
    this.#upstream = connectUpstream(this.#main, { ...parts, trust: trusted });

    const threads = role.kind === 'coordinator' ? role.threads : null;
    this.#mainPort = threads ?? this.#createOwnPort(role.kind === 'thread');
    const hasAdmin = config.adminPort !== undefined;
    const hasEvents = (hasAdmin || config.webhook !== undefined) && role.kind !== 'thread';
    this.#webhook =
      hasEvents && config.webhook ? new Webhook(config.webhook, log, { confirmed: this.#confirmed }) : null;
    this.#events = hasEvents ? new EventStreams(threads !== null, this.#webhook) : null;
    this.#operations = this.#createOperations(threads, role.kind === 'thread');
    const processOperations = role.kind === 'thread' ? role.operations : this.#operations;
    const operations = operationHandlers(processOperations);
    this.#admin = hasAdmin && this.#events ? this.#createAdmin(operations, this.#events, !threads) : null;
    const publicOperations = hasAdmin ? { '/_health': operations['/_health'] } : operations;
    const openTicket: OpenTicket =
      role.kind === 'thread' ? role.openTicket : (digest, entry) => this.tickets.open(digest, entry);
    this.#routing = this.#createRoutingOptions(publicOperations, processOperations, openTicket);
    this.#dispatcher = new RequestDispatcher(
      { ...parts, upstream: this.#upstream, counters: role.kind === 'alone' ? undefined : role.counters },
      unavailableRouting(loading, createUpstreamTest(null, config.prefix), this.#routing),
    );
  }

  /** Listens on the main port, by default that of the settings, and the admin port. Rejects with a ListenError. */
  async listen(port = this.#config.port): Promise<void> {
    await this.#mainPort.listen(port);
    try {
      await this.#admin?.listen();
    } catch (error) {
      // without its admin port, the server could never be seen as ready
      await this.#mainPort.abandon();
      throw error;
    }
  }

  /** Reports the freshness of these sources until their contents are served. */
  opens(sources: readonly (readonly [content: string, source: ContentSource])[]): void {
    this.#opening = sources;
  }

  /**
   * Serves the content that each further request chooses. Only the first one is served together with the upstream
   * server.
   */
  serveContents(served: ServedContents): void {
    const { contents, areChosen } = served;
    const routing = entryRouting(contents, this.#upstream, this.#routing);
    const update = () => {
      this.#contents = contents.all.flatMap(({ name, content }) => (content ? [[name, content.history] as const] : []));
      const answering = contents.all.filter(({ content, preview }) => content ?? preview);
      this.#times?.keepContents(new Set(answering.map(({ name }) => name)));
    };
    this.#served = served;
    contents.onChange(update);
    update();
    this.#events?.serve(contents);
    this.#shares = areChosen ? new MemoryShares(contents, this.#config.contents.idleSeconds * 1000) : null;
    this.#dispatcher.routing = this.#shares ? chosenRouting(contents, this.#shares, routing) : routing(contents.first);
  }

  get address(): string {
    return this.#mainPort.address;
  }

  /** The URL of the admin port, or null without one. */
  get adminAddress(): string | null {
    return this.#admin?.address ?? null;
  }

  /** The state of this server, for its health, readiness and metrics endpoints. */
  get operations(): Operations {
    return this.#operations;
  }

  /** Returns the metrics of this thread as data. Empty if metrics are turned off. */
  samples(): Promise<Samples> {
    return this.#operations.samples();
  }

  /**
   * Makes the server unready, and stops accepting connections after `timeouts.drain`. Lets requests finish within
   * `timeouts.stop`, and resolves when all connections are closed.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#close();
    return this.#stopped;
  }

  async #close(): Promise<void> {
    this.#log.debug('stopping');
    await this.#mainPort.stop();
    this.#shares?.close();
    this.#served?.stored?.close();
    this.#events?.close();
    // closed last, so that health and metrics stay available while the server stops
    await this.#admin?.close(this.#log);
    await this.#served?.live?.close();
    this.#log.debug('stopped');
  }

  readonly #confirmed = async (content: string, version: string): Promise<void> => {
    await this.#served?.live?.confirmed(content, version);
  };

  #createServer(listener: RequestListener): Server {
    const { log } = this.#config;
    const logged = log.requests ? logRequests(listener, this.#log, this.#details) : listener;
    return createBoundedServer(this.#config, logged, (code, status) => {
      if (status !== null) this.#operations.collected?.clientError(status);
      this.#log.debug({ code, status }, 'malformed request');
    });
  }

  #createOwnPort(isShared: boolean): MainPort {
    return ownPort(this.#main, {
      config: this.#config,
      log: this.#log,
      isShared,
      connections: this.#slowReaders,
      onClosing: () => {
        this.#staticHeaders.close();
        this.#dispatcher.waits.close();
        this.#upstream?.close();
      },
      onClosed: () => this.#upstream?.destroy(),
    });
  }

  #createOperations(threads: AnsweringThreads | null, isThread: boolean): OperationsState {
    const state = {
      isStopping: () => this.#stopped !== null,
      contents: () => this.#contents,
      labelsAll: isThread,
      connections: () => this.#slowReaders.connections,
      unsentBytes: () => this.#unsent.bytes,
      queue: () => this.#dispatcher.queueFigures,
      versionWaits: () => this.#dispatcher.waits.figures,
      reloads: () => this.reloads.figures,
      events: this.#events && (() => this.#events!.figures),
      webhook: this.#webhook && (() => this.#webhook!.figures),
      changes: () => this.#served?.live?.figures ?? [],
      sources: () =>
        this.#served?.contents.freshness ??
        this.#opening.map(([content, { freshness }]) => [content, freshness] as const),
      limitedAddresses: this.#config.rateLimit ? () => this.#dispatcher.limitFigures : null,
      isPrivate: this.#config.adminPort !== undefined,
    };
    return new OperationsState(state, this.#times, threads);
  }

  #createAdmin(operations: Record<string, RequestHandler>, events: EventStreams, answersContent: boolean): AdminServer {
    const served = () => this.#served;
    return new AdminServer(
      {
        config: this.#config,
        log: this.#log,
        operations,
        reloads: this.reloads,
        events,
        tickets: this.tickets,
        served,
        answersContent,
        onError: this.#onError,
      },
      (listener) => this.#createServer(listener),
    );
  }

  /** `operations` are the handlers of the main port, by path. */
  #createRoutingOptions(
    operations: Record<string, RequestHandler>,
    { freshness }: Operations,
    openTicket: OpenTicket,
  ): RoutingOptions {
    // `RequestHooks` observe content requests
    const observeOther: RequestHandler = (request, response, next) => {
      this.#dispatcher.observe(request, response);
      next();
    };
    return {
      log: this.#log,
      before: [observeOther, ...this.#staticHeaders.middlewares, atPaths(operations)],
      staticHeaders: this.#staticHeaders,
      unsent: this.#unsent,
      slowQueries: new SlowQueries(this.#log, this.#config.log.slowMilliseconds),
      times: this.#times,
      idOf: this.#details.idOf,
      isEncrypted: this.#details.isEncrypted,
      cookie: this.#config.contents.cookie,
      openTicket,
      freshness,
      waits: () => this.#dispatcher.waits,
      onError: this.#onError,
    };
  }

  /** Logs an unexpected exception. A request that its client aborts is not one. */
  readonly #onError = (request: IncomingMessage, error: unknown): void => {
    const { method, url } = request;
    if (error === request.errored) {
      const { message } = error as Error;
      return this.#log.info({ id: this.#details.idOf(request), method, url, reason: message }, 'the client broke off');
    }
    this.#log.error({ id: this.#details.idOf(request), method, url, err: error }, 'failed');
  };
}

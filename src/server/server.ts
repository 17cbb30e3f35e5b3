import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import proxyaddr from 'proxy-addr';
import { NotFoundError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { defaultName } from '../contents/content-names.ts';
import type { ContentEntry } from '../contents/contents.ts';
import type { ServedContents } from '../contents/served-contents.ts';
import type { Explanation } from '../engine/trace.ts';
import { createListener, type ServedContent } from '../http/app.ts';
import { codecs } from '../http/codec-pool.ts';
import type { RequestHooks } from '../http/content-handler.ts';
import { createAdminRouter } from './admin/admin-routes.ts';
import { AdminTokens } from './admin/admin-tokens.ts';
import { contentsRoutes } from './admin/contents-routes.ts';
import { reloadRoute } from './admin/reload-route.ts';
import { chosenRouting } from './chosen-routing.ts';
import { clientAddress, type Trust } from './client-address.ts';
import { addressOf, close, listen, mainFlags } from './listening.ts';
import { logRequests, logUpgrade, type RequestDetails } from './log.ts';
import { standardError } from './log-writer.ts';
import { Metrics, type Samples } from './metrics.ts';
import { appOf, atPaths, type Operations, operationHandlers, overloadedReply, unavailable } from './operations.ts';
import { type ReloadFailure, Reloads } from './reload/reloads.ts';
import { RequestDispatcher, type Routing } from './request-dispatcher.ts';
import { RequestIds } from './request-ids.ts';
import { RequestTimes, routeNames } from './request-times.ts';
import type { MeasuredContent } from './scraped-metrics.ts';
import type { ServerRole } from './server-role.ts';
import { SlowQueries } from './slow-queries.ts';
import { SlowReaders } from './slow-readers.ts';
import { createBoundedServer } from './sockets.ts';
import { StaticHeaders } from './static-headers.ts';
import { UnsentReplies } from './unsent.ts';
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
const restarting = 'All threads have ended and are being replaced';
const overloaded = 'Too many large replies are being sent: try again in a moment';

/**
 * The HTTP server. It answers with 503 until `serve` is called with content. `stop` lets requests in progress finish.
 * Content can be replaced at any time. A request always uses the content with which it started.
 */
export class LecternServer {
  /** The state of this server, for its health, readiness and metrics endpoints. */
  readonly operations: Operations;
  readonly #config: Config;
  readonly #log: Logger;
  /** Runs the reloads that the admin port asks for. Its user calls `begin` when reloads can run. */
  readonly reloads: Reloads;
  readonly #role: ServerRole;
  readonly #main: Server;
  readonly #admin: Server | null;
  readonly #staticHeaders: StaticHeaders;
  readonly #times: RequestTimes | null;
  readonly #metrics: Metrics | null;
  readonly #dispatcher: RequestDispatcher;
  readonly #unsent: UnsentReplies;
  readonly #slowReaders: SlowReaders;
  readonly #slowQueries: SlowQueries;
  /** Middlewares that run first for requests other than content requests. */
  readonly #before: readonly RequestHandler[];
  readonly #details: RequestDetails;
  readonly #upstream: Upstream | null;
  /** By name. Empty until the first one is loaded. */
  #contents: readonly (readonly [name: string, content: ServerContent])[] = [];
  #served: ServedContents | null = null;
  #stopped: Promise<void> | null = null;

  constructor(config: Config, log: Logger, role: ServerRole = {}) {
    this.#config = config;
    this.#log = log;
    this.reloads = new Reloads(log);
    this.#role = role;
    const trusted = proxyaddr.compile(config.trustProxy);
    const ids = new RequestIds(({ socket }) => trusted(socket.remoteAddress ?? '', 0));
    this.#details = {
      idOf: (request) => ids.of(request),
      addressOf: (request) => clientAddress(request, trusted),
    };
    this.#staticHeaders = new StaticHeaders(config);
    this.#unsent = new UnsentReplies(config.connections.unsentBytes);
    this.#slowQueries = new SlowQueries(log, config.log.slowMilliseconds);
    this.#times = config.metrics ? new RequestTimes() : null;
    this.#main = this.#createServer((request, response) => this.#dispatcher.receive(request, response));
    this.#main.on('connection', () => this.#dispatcher.accepted());
    this.#slowReaders = new SlowReaders(this.#main, config.timeouts.send, () => this.#metrics?.cutOff());
    this.#upstream = this.#createUpstream(trusted);
    this.#metrics = this.#times && this.#createMetrics(this.#times);

    const hasAdmin = config.adminPort !== undefined;
    this.operations = {
      readiness: () => ({ unready: this.#unready(), reload: this.#reloadFailure(hasAdmin) }),
      metrics: this.#metrics && (() => this.#metricsText()),
    };
    const operations = operationHandlers(role.operations ?? this.operations);
    const health = { '/_health': operations['/_health'] };
    this.#before = [this.#observeOther, ...this.#staticHeaders.middlewares, atPaths(hasAdmin ? health : operations)];
    this.#admin =
      hasAdmin && !role.operations
        ? this.#createServer(
            appOf([atPaths(operations), this.#adminRouter()], () => new NotFoundError(), this.#onError),
          )
        : null;
    // large snapshots take their time; a pause in a body ends its request
    if (this.#admin && config.contents.folder !== undefined) this.#admin.requestTimeout = 0;
    this.#dispatcher = new RequestDispatcher(
      {
        config,
        log,
        staticHeaders: this.#staticHeaders,
        times: this.#times,
        upstream: this.#upstream,
        counters: role.counters,
        addressOf: this.#details.addressOf,
      },
      {
        hasUploads: false,
        callerName: () => null,
        isForwarded: createUpstreamTest(null, config.prefix),
        answer: appOf(this.#before, () => unavailable(loading), this.#onError),
      },
    );
  }

  /** Listens on the main port, by default that of the settings, and the admin port. Rejects with a ListenError. */
  async listen(port = this.#config.port): Promise<void> {
    const { host, adminHost, adminPort } = this.#config;
    const { threads, operations } = this.#role;
    const isThread = operations !== undefined;
    if (threads) await threads.listen();
    else await listen(this.#main, { host, port, flags: mainFlags, reusePort: isThread });
    if (!this.#admin) return;
    try {
      const flags = { host: '--admin-host', port: '--admin-port' };
      await listen(this.#admin, { host: adminHost, port: adminPort!, flags });
    } catch (error) {
      // without its admin port, the server could never be seen as ready
      await threads?.stop();
      this.#main.close();
      this.#main.closeAllConnections();
      throw error;
    }
  }

  /** Observes requests other than content requests, whose hooks observe them. */
  readonly #observeOther: RequestHandler = (request, response, next) => {
    this.#dispatcher.observe(request, response);
    next();
  };

  /** Serves this content for all further requests. */
  serve(content: ServerContent): void {
    this.#dispatcher.routing = this.#routingOf(defaultName, content, this.#upstream);
    this.#contents = [[defaultName, content]];
  }

  /**
   * Serves the content that each further request chooses. Only the first one is served together with the upstream
   * server.
   */
  serveContents(served: ServedContents): void {
    const { contents, shares } = served;
    const routings = new WeakMap<ContentEntry, Routing>();
    const routingOf = (entry: ContentEntry): Routing => {
      const known = routings.get(entry);
      if (known) return known;
      const isFirst = entry === contents.first;
      const routing = entry.content
        ? this.#routingOf(entry.name, entry.content, isFirst ? this.#upstream : null)
        : this.#failedRouting(entry);
      routings.set(entry, routing);
      return routing;
    };
    const update = () => {
      this.#contents = contents.all.flatMap(({ name, content }) => (content ? [[name, content] as const] : []));
      this.#times?.keepContents(new Set(contents.all.map(({ name }) => name)));
    };
    this.#served = served;
    contents.onChange(update);
    update();
    this.#dispatcher.routing = shares ? chosenRouting(contents, shares, routingOf) : routingOf(contents.first);
  }

  #routingOf(name: string, content: ServerContent, upstream: Upstream | null): Routing {
    const isForwarded = createUpstreamTest(content, content.prefix);
    return {
      hasUploads: content.hasUploads,
      callerName: ({ headers }) => content.callerName(headers.authorization),
      isForwarded: (request) => upstream !== null && isForwarded(request),
      answer: createListener(content, {
        before: this.#before,
        hooks: this.#createHooks(name, content),
        missingUpload: upstream ? (request, response) => upstream.forward(request, response) : undefined,
      }),
    };
  }

  /** Answers requests for a content that could not be loaded. */
  #failedRouting({ name }: ContentEntry): Routing {
    const answer = appOf(this.#before, () => unavailable(`The content "${name}" could not be loaded`), this.#onError);
    return { hasUploads: false, callerName: () => null, isForwarded: () => false, answer };
  }

  get address(): string {
    return this.#role.threads?.address ?? addressOf(this.#main);
  }

  /** The URL of the admin port, or null without one. */
  get adminAddress(): string | null {
    return this.#admin && addressOf(this.#admin);
  }

  /**
   * Is not ready from now on, and stops accepting connections after `timeouts.drain`. Lets requests finish within
   * `timeouts.stop`, and resolves when all connections are closed.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#close();
    return this.#stopped;
  }

  async #close(): Promise<void> {
    this.#log.debug('stopping');
    const { stop } = this.#config.timeouts;
    if (this.#role.threads) await this.#role.threads.stop();
    else await this.#closeMain();
    // closed last, so that health and metrics stay available while the server stops
    if (this.#admin) await close(this.#admin, null, stop, this.#log);
    this.#log.debug('stopped');
  }

  async #closeMain(): Promise<void> {
    const { drain, stop } = this.#config.timeouts;
    if (drain > 0) await setTimeout(drain);
    this.#staticHeaders.close();
    this.#served?.shares?.close();
    this.#served?.stored.close();
    this.#upstream?.close();
    await close(this.#main, this.#slowReaders, stop, this.#log);
    this.#upstream?.destroy();
  }

  #unready(): string | null {
    if (this.#stopped) return stopping;
    if (this.#contents.length === 0) return loading;
    return this.#role.threads?.figures.answering === 0 ? restarting : null;
  }

  /** Returns the metrics of this thread as data. Empty if metrics are turned off. */
  async samples(): Promise<Samples> {
    return this.#metrics ? this.#metrics.samples() : [];
  }

  async #metricsText(): Promise<string> {
    const { threads } = this.#role;
    return threads ? threads.metrics(await this.samples()) : this.#metrics!.text();
  }

  /** The reason quotes the snapshot, so only the admin port tells it. */
  #reloadFailure(hasAdmin: boolean): ReloadFailure | null {
    const { failure } = this.reloads.figures;
    return hasAdmin || failure === null ? failure : { ...failure, error: 'the snapshot does not load: see the log' };
  }

  #adminRouter(): RequestHandler {
    const routes = [reloadRoute(this.reloads), ...contentsRoutes(() => this.#served, this.#config.timeouts.request)];
    return createAdminRouter(routes, new AdminTokens(this.#config.admin.tokens));
  }

  #createServer(listener: RequestListener): Server {
    const { log } = this.#config;
    const logged = log.requests ? logRequests(listener, this.#log, this.#details) : listener;
    return createBoundedServer(this.#config, logged, (code, status) => {
      if (status !== null) this.#metrics?.clientError(status);
      this.#log.debug({ code, status }, 'malformed request');
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
      onUpgrade: () => this.#times?.observe(routeNames.upstream, 101, 0),
    });
    acceptWebSockets(this.#main, (request, socket, head) => {
      if (this.#config.log.requests) logUpgrade(request, this.#log, this.#details);
      upstream.upgrade(request, socket, head);
    });
    return upstream;
  }

  #createMetrics(times: RequestTimes): Metrics {
    const { threads } = this.#role;
    const state = {
      contents: () => this.#contents,
      isReady: () => this.#unready() === null,
      connections: () => this.#slowReaders.connections,
      unsentBytes: () => this.#unsent.bytes,
      lostLogLines: () => standardError.lostLines,
      codecs: () => codecs.figures,
      queue: () => this.#dispatcher.queueFigures,
      reloads: () => this.reloads.figures,
      limitedAddresses: this.#config.rateLimit ? () => this.#dispatcher.limitFigures : null,
      threads: threads ? () => threads.figures : null,
    };
    return new Metrics(state, times);
  }

  /** Logs an unexpected exception. */
  readonly #onError = (request: IncomingMessage, error: unknown): void => {
    const { method, url } = request;
    this.#log.error({ id: this.#details.idOf(request), method, url, err: error }, 'failed');
  };

  /** Creates the hooks for requests to the content of this name. */
  #createHooks(name: string, content: ServerContent): RequestHooks {
    const times = this.#times?.ofContent(name);
    return {
      headers: (request) => this.#staticHeaders.of(request),
      beforeSend: (response, reply) => {
        if (reply.missing) this.#log.debug({ route: reply.route, ...reply.missing }, 'missing permission');
        if (this.#unsent.take(reply.body, response)) return reply;
        return overloadedReply(overloaded, reply.route);
      },
      afterSend: (path, status, knownRoute, milliseconds, request) => {
        if (knownRoute === undefined) this.#times?.observe(routeNames.other, status, milliseconds);
        else times?.observe(knownRoute, status, milliseconds);
        const route = knownRoute ?? routeNames.other;
        if (this.#slowQueries.isSlow(milliseconds)) {
          const id = this.#details.idOf(request);
          const url = `${content.prefix}/${path}`;
          this.#slowQueries.report({ id, route, url, milliseconds }, () => content.explain(url));
        }
      },
      onError: this.#onError,
    };
  }
}

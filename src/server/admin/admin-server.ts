import type { RequestListener, Server } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ContentEntry } from '../../content/registry/contents.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { NotFoundError } from '../../core/errors.ts';
import { appOf } from '../../http/app.ts';
import type { RequestHooks } from '../../http/content-handler.ts';
import { loading, unavailable } from '../../http/error-replies.ts';
import { readQueryParameter } from '../../http/query-parameter.ts';
import type { Config } from '../../model/settings/config.ts';
import { addressOf, close, listen } from '../connections/listening.ts';
import { EventReader } from '../events/content-events.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { atPaths } from '../operations.ts';
import type { Reloads } from '../reloads.ts';
import type { Tickets } from '../tickets/tickets.ts';
import { hasBody, limitBody } from '../upstream/timeouts.ts';
import { createAdminPage, pagePaths } from './admin-page.ts';
import { type AdminRoute, AdminTokens, createAdminRouter } from './admin-routes.ts';
import { contentsRoutes } from './contents-routes.ts';
import { entriesRoute } from './entries-route.ts';
import { pinRoutes } from './pin-routes.ts';
import { previewRoutes } from './preview-routes.ts';
import { statusRoute } from './status-route.ts';
import { ticketRoute } from './ticket-route.ts';
import { changesRoute, hooksRoute, reloadRoute } from './update-routes.ts';

/** The flags of the admin port. */
const flags = { host: '--admin-host', port: '--admin-port' };

interface RouteOptions {
  readonly log: Logger;
  readonly reloads: Reloads;
  readonly events: EventStreams;
  readonly tickets: Tickets;
  /** Returns null while the first content is being loaded. */
  served(): ServedContents | null;
  /** Whether this thread answers requests for content. */
  readonly answersContent: boolean;
  /** The setting `follow.secret`. */
  readonly hookSecret: string | undefined;
}

interface AdminOptions extends Omit<RouteOptions, 'hookSecret'> {
  readonly config: Config;
  /** The handlers of health, readiness and metrics, by path. */
  readonly operations: Record<string, RequestHandler>;
  readonly onError: RequestHooks['onError'];
}

/** Time for the rest of a body after the reply, in milliseconds. Closing at once would reset the reply. */
const unreadBodyTime = 1000;

/** Ends a connection whose client pauses in a body or keeps sending a body after the reply. */
function limitBodies(pauseMilliseconds: number): RequestHandler {
  return (request, response, next) => {
    if (hasBody(request)) {
      const { socket } = request;
      socket.setTimeout(pauseMilliseconds);
      response.on('timeout', () => void (request.complete || socket.destroy()));
      response.once('finish', () => limitBody(request, unreadBodyTime, socket));
    }
    next();
  };
}

/** The server of the admin port: health, readiness and metrics, a page for people, and routes that need a token. */
export class AdminServer {
  readonly #server: Server;
  readonly #config: Config;

  constructor(options: AdminOptions, create: (app: RequestListener) => Server) {
    const { config, operations, onError } = options;
    const readable = new Set([...Object.keys(operations), ...pagePaths]);
    const routes = adminRoutes({ ...options, hookSecret: config.follow.secret });
    const router = createAdminRouter(routes, new AdminTokens(config.admin.tokens), readable);
    this.#config = config;
    this.#server = create(
      appOf(
        [limitBodies(config.timeouts.request), atPaths(operations), createAdminPage(), router],
        () => new NotFoundError(),
        onError,
      ),
    );
    // snapshots and imports take their time; a pause in a body ends its request
    this.#server.requestTimeout = 0;
  }

  /** Listens on the admin port of the settings, which have one. Rejects with a ListenError. */
  listen(): Promise<void> {
    const { adminHost, adminPort } = this.#config;
    return listen(this.#server, { host: adminHost, port: adminPort!, flags });
  }

  get address(): string {
    return addressOf(this.#server);
  }

  /** Lets requests finish within `timeouts.stop`. */
  close(log: Logger): Promise<void> {
    return close(this.#server, null, this.#config.timeouts.stop, log);
  }
}

/** Returns the routes that need a token. */
export function adminRoutes(options: RouteOptions): AdminRoute[] {
  const { log, reloads, events, tickets, served, answersContent, hookSecret } = options;
  return [
    reloadRoute(reloads),
    changesRoute(served),
    entriesRoute(served),
    eventsRoute(served, events),
    hooksRoute(served, hookSecret),
    ...pinRoutes(served, log),
    ...contentsRoutes(served, answersContent),
    ...previewRoutes(served),
    ticketRoute(served, tickets),
    statusRoute(served),
  ];
}

/**
 * Sends the tags that each batch made stale as server-sent events. `served` returns null while the first content is being
 * loaded.
 */
function eventsRoute(served: () => ServedContents | null, streams: EventStreams): AdminRoute {
  const handle: RequestHandler = (request, response) => {
    const contents = served()?.contents;
    if (!contents) throw unavailable(loading);
    const name = readQueryParameter(request.url, 'content') ?? contents.first.name;
    const events = streams.of(name);
    if (!events) throw new NotFoundError(noEvents(contents.get(name), name));
    const lastVersion = request.headers['last-event-id'];
    const reader = new EventReader(response);
    if (request.method === 'HEAD') return reader.end();
    events.connect(reader, Array.isArray(lastVersion) ? lastVersion[0] : lastVersion);
  };
  return { method: 'get', path: '/_events', right: 'events', handle };
}

function noEvents(entry: ContentEntry | undefined, name: string): string {
  if (!entry?.preview) return `No content ${JSON.stringify(name)} is served`;
  return `"${name}" is a preview, and previews have no events: read those of "${entry.preview.put.preview.base}"`;
}

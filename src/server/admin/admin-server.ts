import type { RequestListener, Server } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { NotFoundError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import type { ServedContents } from '../../contents/served-contents.ts';
import type { RequestHooks } from '../../http/content-handler.ts';
import { addressOf, close, listen } from '../connections/listening.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { appOf, atPaths } from '../operations.ts';
import type { Reloads } from '../reload/reloads.ts';
import { createAdminRouter } from './admin-routes.ts';
import { AdminTokens } from './admin-tokens.ts';
import { changesRoute } from './changes-route.ts';
import { contentsRoutes } from './contents-routes.ts';
import { eventsRoute } from './events-route.ts';
import { hooksRoute } from './hooks-route.ts';
import { pinRoutes } from './pin-routes.ts';
import { reloadRoute } from './reload-route.ts';

/** The flags of the admin port. */
const flags = { host: '--admin-host', port: '--admin-port' };

export interface AdminOptions {
  readonly config: Config;
  readonly log: Logger;
  /** The handlers of health, readiness and metrics, by path. */
  readonly operations: Record<string, RequestHandler>;
  readonly reloads: Reloads;
  readonly events: EventStreams;
  /** Returns null while the first content is being loaded. */
  served(): ServedContents | null;
  /** Whether this thread answers requests for content. */
  readonly answersContent: boolean;
  readonly onError: RequestHooks['onError'];
}

/** The server of the admin port: health, readiness and metrics, and routes that need a token. */
export class AdminServer {
  readonly #server: Server;
  readonly #config: Config;

  constructor(
    { config, log, operations, reloads, events, served, answersContent, onError }: AdminOptions,
    create: (app: RequestListener) => Server,
  ) {
    const routes = [
      reloadRoute(reloads),
      changesRoute(served),
      eventsRoute(served, events),
      hooksRoute(served),
      ...pinRoutes(served, log),
      ...contentsRoutes(served, answersContent, config.timeouts.request),
    ];
    const readable = new Set(Object.keys(operations));
    const router = createAdminRouter(routes, new AdminTokens(config.admin.tokens), readable);
    this.#config = config;
    this.#server = create(appOf([atPaths(operations), router], () => new NotFoundError(), onError));
    // large snapshots take their time; a pause in a body ends its request
    if (config.contents.folder !== undefined) this.#server.requestTimeout = 0;
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

import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ContentEntry, Contents } from '../contents/contents.ts';
import type { Explanation } from '../engine/trace.ts';
import { createListener, type ServedContent } from '../http/app.ts';
import type { RequestHooks } from '../http/content-handler.ts';
import { appOf, overloadedReply, unavailable } from './operations.ts';
import type { Routing } from './request-dispatcher.ts';
import { type RequestTimes, routeNames } from './request-times.ts';
import type { MeasuredContent } from './scraped-metrics.ts';
import type { SlowQueries } from './slow-queries.ts';
import type { StaticHeaders } from './static-headers.ts';
import type { UnsentReplies } from './unsent.ts';
import { createUpstreamTest } from './upstream/routing.ts';
import type { Upstream } from './upstream/upstream.ts';

/** The interface of content that the server uses. */
export interface ServerContent extends ServedContent, MeasuredContent {
  readonly summary: ServedContent['summary'] & MeasuredContent['summary'];
  explain(url: string): Explanation;
  /** Whether a path below the prefix matches a content route. The entry need not exist. */
  hasRoute(path: string): boolean;
  /** Returns a unique name of a caller with known credentials, or null for any other caller. */
  callerName(authorization: string | undefined): string | null;
}

const overloaded = 'Too many large replies are being sent: try again in a moment';

/** What the routings of a server share. */
export interface RoutingOptions {
  readonly log: Logger;
  /** Middlewares that run first for requests other than content requests. */
  readonly before: readonly RequestHandler[];
  readonly staticHeaders: StaticHeaders;
  readonly unsent: UnsentReplies;
  readonly slowQueries: SlowQueries;
  readonly times: RequestTimes | null;
  idOf(request: IncomingMessage): string;
  readonly onError: RequestHooks['onError'];
}

/** Creates the routing of requests to the content of this name. Forwards nothing without an upstream server. */
function routingOf(name: string, content: ServerContent, upstream: Upstream | null, options: RoutingOptions): Routing {
  const isForwarded = createUpstreamTest(content, content.prefix);
  return {
    hasUploads: content.hasUploads,
    callerName: ({ headers }) => content.callerName(headers.authorization),
    isForwarded: (request) => upstream !== null && isForwarded(request),
    answer: createListener(content, {
      before: options.before,
      hooks: createHooks(name, content, options),
      missingUpload: upstream ? (request, response) => upstream.forward(request, response) : undefined,
    }),
  };
}

/**
 * Returns the routing of each content, which is made once per entry. Only the first content is served together with the
 * upstream server.
 */
export function entryRouting(
  contents: Contents,
  upstream: Upstream | null,
  options: RoutingOptions,
): (entry: ContentEntry) => Routing {
  const routings = new WeakMap<ContentEntry, Routing>();
  return (entry) => {
    const known = routings.get(entry);
    if (known) return known;
    const { name, content } = entry;
    const routing = content
      ? routingOf(name, content, entry === contents.first ? upstream : null, options)
      : unavailableRouting(`The content "${name}" could not be loaded`, () => false, options);
    routings.set(entry, routing);
    return routing;
  };
}

/** Creates the routing of requests while there is no content to answer them. */
export function unavailableRouting(
  reason: string,
  isForwarded: Routing['isForwarded'],
  { before, onError }: RoutingOptions,
): Routing {
  const answer = appOf(before, () => unavailable(reason), onError);
  return { hasUploads: false, callerName: () => null, isForwarded, answer };
}

function createHooks(name: string, content: ServerContent, options: RoutingOptions): RequestHooks {
  const { log, staticHeaders, unsent, slowQueries, idOf, onError } = options;
  const times = options.times?.ofContent(name);
  return {
    headers: (request) => staticHeaders.of(request),
    beforeSend: (response, reply) => {
      if (reply.missing) log.debug({ route: reply.route, ...reply.missing }, 'missing permission');
      if (unsent.take(reply.body, response)) return reply;
      return overloadedReply(overloaded, reply.route);
    },
    afterSend: (path, status, knownRoute, milliseconds, request) => {
      if (knownRoute === undefined) options.times?.observe(routeNames.other, status, milliseconds);
      else times?.observe(knownRoute, status, milliseconds);
      const route = knownRoute ?? routeNames.other;
      if (slowQueries.isSlow(milliseconds)) {
        const url = `${content.prefix}/${path}`;
        slowQueries.report({ id: idOf(request), route, url, milliseconds }, () => content.explain(url));
      }
    },
    onError,
  };
}

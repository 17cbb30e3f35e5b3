import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ContentEntry, Contents } from '../../content/registry/contents.ts';
import { createListener } from '../../http/app.ts';
import type { RequestHooks } from '../../http/content-handler.ts';
import { sendFailure } from '../../http/error-replies.ts';
import { type RequestTimes, routeNames } from '../metrics/request-times.ts';
import { appOf, type Operations, overloadedReply, unavailable } from '../operations.ts';
import { createUpstreamTest } from '../upstream/routing.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { previewContent } from './preview-content.ts';
import { keepPrivate } from './preview-headers.ts';
import type { Routing } from './request-dispatcher.ts';
import type { ServerContent } from './server-content.ts';
import type { SlowQueries } from './slow-queries.ts';
import type { StaticHeaders } from './static-headers.ts';
import type { UnsentReplies } from './unsent.ts';

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
  /** As `Operations.freshness`. */
  readonly freshness: Operations['freshness'];
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
      freshness: () => options.freshness(name),
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
    const routing = createRouting(entry, entry === contents.first ? upstream : null, options);
    routings.set(entry, routing);
    return routing;
  };
}

function createRouting(
  { name, content, preview }: ContentEntry,
  upstream: Upstream | null,
  options: RoutingOptions,
): Routing {
  if (content) return routingOf(name, content, upstream, options);
  if (!preview) return unavailableRouting(`The content "${name}" could not be loaded`, () => false, options);
  const routing = routingOf(name, previewContent(preview), null, options);
  return {
    ...routing,
    answer: (request, response) => {
      keepPrivate(response);
      const answer = () => void (response.destroyed || routing.answer(request, response));
      preview.whenOpen(answer, (error) => {
        options.onError(request, error);
        sendFailure(request, response, options.staticHeaders.of(request));
      });
    },
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

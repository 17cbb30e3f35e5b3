import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Content } from '../../content/content.ts';
import type { Preview } from '../../content/previews/preview.ts';
import type { ContentEntry, Contents } from '../../content/registry/contents.ts';
import { ForbiddenError, RequestError } from '../../core/errors.ts';
import type { Explanation } from '../../engine/trace.ts';
import { appOf, createListener, type ServedContent } from '../../http/app.ts';
import { Codings } from '../../http/codings.ts';
import type { RequestHooks } from '../../http/content-handler.ts';
import { overloadedReply, sendFailure, unavailable } from '../../http/error-replies.ts';
import { Authenticator } from '../../model/access/authenticate.ts';
import { noCredentials } from '../../model/access/credentials.ts';
import { errorReply } from '../../query/reply/reply.ts';
import { type RequestTimes, routeNames } from '../metrics/request-times.ts';
import type { Operations } from '../operations.ts';
import { createUpstreamTest } from '../upstream/connect.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Routing } from './request-dispatcher.ts';
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
 * Returns a function that creates the routing of an entry once. Only the first content is served together with the
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
    onReply: ({ route, missing }) => {
      if (missing) log.debug({ route, ...missing }, 'missing permission');
    },
    refuseBody: (body, response) => (unsent.take(body, response) ? null : overloadedReply(overloaded)),
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

const names = ['Cache-Control', 'X-Robots-Tag'];
const lowerCase = new Set(names.map((name) => name.toLowerCase()));
const values = ['private, no-store', 'noindex'];

/** Sends headers as `writeHead` of Node does: an object, or a list of names and values. */
type GivenHeaders = Record<string, unknown> | readonly string[] | undefined;

/**
 * Adds headers that forbid caching and indexing to a reply, whether it is content, an error, a file, a redirect or a
 * 304.
 */
function keepPrivate(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers: GivenHeaders) => ServerResponse;
  response.writeHead = ((status: number, second?: string | GivenHeaders, third?: GivenHeaders) => {
    if (typeof second === 'string') response.statusMessage = second;
    const given = typeof second === 'string' ? third : second;
    for (const [i, name] of names.entries()) response.setHeader(name, values[i]);
    return writeHead(status, withoutOwn(given));
  }) as typeof response.writeHead;
}

function withoutOwn(headers: GivenHeaders): GivenHeaders {
  if (headers === undefined) return undefined;
  if (Array.isArray(headers)) {
    return headers.filter((_, i) => !lowerCase.has(String(headers[i - (i % 2)]).toLowerCase()));
  }
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !lowerCase.has(name.toLowerCase())));
}

/** Returns the content of a preview. It must only be used within `Preview.whenOpen`. */
function previewContent(preview: Preview): ServerContent {
  const { settings, put, given } = preview;
  const authenticator = new Authenticator(settings);
  const callerName = (authorization?: string) => authenticator.nameOf(authorization, noCredentials);
  /** Hides why there is no content from callers without the token, because the reason quotes the changes. */
  const contentFor = (authorization?: string): Content => {
    try {
      return preview.content;
    } catch (error) {
      const isHidden = put.preview.sha256 !== null && callerName(authorization) === null;
      throw isHidden && error instanceof RequestError ? new ForbiddenError() : error;
    }
  };
  return {
    prefix: settings.prefix,
    codings: given.compression ? new Codings(0) : null,
    callerName,
    answerPath: (path, options) => {
      try {
        return contentFor(options.authorization).answerPath(path, options);
      } catch (error) {
        if (error instanceof RequestError) return errorReply(error);
        throw error;
      }
    },
    explain: (url) => contentFor().explain(url),
    find: (...query) => contentFor().find(...query),
    hasRoute: (path) => contentFor().hasRoute(path),
    nearestRoute: (path) => contentFor().nearestRoute(path),
    schemaOverview: () => contentFor().schemaOverview(),
    get summary() {
      return contentFor().summary;
    },
    // the files are those of the base
    hasUploads: Boolean(given.uploads),
    uploads: () => (request, response, next) => preview.base.uploads()(request, response, next),
  };
}

/** The interface of content that the server uses. */
interface ServerContent extends ServedContent {
  explain(url: string): Explanation;
  /** Whether a path below the prefix matches a content route. The entry need not exist. */
  hasRoute(path: string): boolean;
  /** Returns a unique name of a caller with known credentials, or null for any other caller. */
  callerName(authorization: string | undefined): string | null;
}

import type { IncomingMessage, RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { Content } from '../../content/content.ts';
import type { ContentEntry, Contents } from '../../content/registry/contents.ts';
import { appOf, createListener } from '../../http/app.ts';
import { type AwaitedContent, type AwaitedSource, hasAtLeast } from '../../http/at-least.ts';
import type { RequestHooks } from '../../http/content-handler.ts';
import { overloadedReply, sendFailure, unavailable } from '../../http/error-replies.ts';
import { createPathReader, type UrlSettings } from '../../http/prefix.ts';
import type { VersionWaits } from '../../http/version-waits.ts';
import { type RequestTimes, type RouteTimes, routeNames } from '../metrics/request-times.ts';
import type { Operations } from '../operations.ts';
import { type BrowserOptions, PreviewBrowsers } from '../tickets/preview-browsers.ts';
import { createUpstreamTest } from '../upstream/connect.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { changeHeaders, previewHeaders } from './keep-private.ts';
import { previewContents } from './preview-contents.ts';
import type { Routing } from './request-dispatcher.ts';
import type { ServerContent } from './server-content.ts';
import type { SlowQueries } from './slow-queries.ts';
import { SourceReads } from './source-reads.ts';
import type { StaticHeaders } from './static-headers.ts';
import type { UnsentReplies } from './unsent.ts';

const overloaded = 'Too many large replies are being sent: try again in a moment';

/** What the routings of a server share. */
export interface RoutingOptions extends BrowserOptions {
  readonly log: Logger;
  readonly staticHeaders: StaticHeaders;
  readonly unsent: UnsentReplies;
  readonly slowQueries: SlowQueries;
  readonly times: RequestTimes | null;
  /** As `Operations.freshness`. */
  readonly freshness: Operations['freshness'];
  /** As `RequestDispatcher.waits`. */
  waits(): VersionWaits;
  idOf(request: IncomingMessage): string;
}

type Listeners = WeakMap<Content | Error, RequestListener>;

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
    const isFirst = entry === contents.first;
    const followed = entry.put?.preview?.base ?? entry.name;
    const source = new SourceReads(
      () => contents.get(followed)?.source,
      () => options.freshness(followed),
    );
    const routing = createRouting(entry, isFirst, isFirst ? upstream : null, source, options);
    routings.set(entry, routing);
    return routing;
  };
}

function createRouting(
  entry: ContentEntry,
  isFirst: boolean,
  upstream: Upstream | null,
  source: AwaitedSource,
  options: RoutingOptions,
): Routing {
  const { name, content, preview } = entry;
  if (!content && !preview) {
    return unavailableRouting(`The content "${name}" could not be loaded`, () => false, options);
  }
  const times = options.times?.ofContent(name) ?? null;
  const listenerOf = (served: ServerContent) =>
    createListener(served, {
      before: options.before,
      hooks: createHooks(times, served, options),
      // requests that name no content get the first one
      name: isFirst ? '' : name,
      freshness: () => options.freshness(name),
      missingUpload: upstream ? (request, response) => upstream.forward(request, response) : undefined,
    });
  if (!content) return previewRouting(entry, listenerOf, source, options);
  const isForwarded = createUpstreamTest(content, content.prefix);
  return {
    hasUploads: content.hasUploads,
    callerName: ({ headers }) => content.callerName(headers.authorization),
    isForwarded: (request) => upstream !== null && isForwarded(request),
    answer: whenAtLeast(content, content, source, options, listenerOf(content)),
  };
}

/** Returns a listener that lets content requests with `X-Lectern-At-Least` wait for the version that they demand. */
function whenAtLeast(
  content: AwaitedContent,
  urls: UrlSettings,
  source: AwaitedSource,
  options: RoutingOptions,
  answer: RequestListener,
): RequestListener {
  const pathOf = createPathReader(urls);
  return (request, response) => {
    if (!hasAtLeast(request) || pathOf(request.url ?? '') === null) return answer(request, response);
    options.waits().begin({ request, response, content, source, answer });
  };
}

/** Creates the routing of a preview. A request that began with one content of the preview also ends with it. */
function previewRouting(
  entry: ContentEntry,
  listenerOf: (content: ServerContent) => RequestListener,
  source: AwaitedSource,
  options: RoutingOptions,
): Routing {
  const preview = entry.preview!;
  const { hasUploads, callerName, of } = previewContents(preview);
  const browsers = new PreviewBrowsers(entry, options);
  const headers = previewHeaders(browsers.isLocked, options.cookie.frameAncestors);
  const listeners: Record<'viewer' | 'caller', Listeners> = { viewer: new WeakMap(), caller: new WeakMap() };
  const listenerFor = (reader: 'viewer' | 'caller', opened: Content | Error): RequestListener => {
    const known = listeners[reader].get(opened);
    if (known) return known;
    const created = listenerOf(of(opened, reader === 'viewer'));
    listeners[reader].set(opened, created);
    return created;
  };
  const urls = { prefix: preview.settings.prefix, hasUploads };
  const answerAs = (reader: 'viewer' | 'caller') =>
    whenAtLeast(preview, urls, source, options, (request, response) =>
      preview.whenOpen(
        (opened) => void (response.destroyed || listenerFor(reader, opened)(request, response)),
        (error) => {
          options.onError(request, error);
          sendFailure(request, response, options.staticHeaders.of(request));
        },
      ),
    );
  const answers = { viewer: answerAs('viewer'), caller: answerAs('caller') };
  return {
    hasUploads,
    callerName: ({ headers }) => callerName(headers.authorization),
    isForwarded: () => false,
    answer: (request, response) => {
      changeHeaders(response, headers);
      const reader = browsers.admit(request);
      if (reader === 'page') browsers.answer(request, response);
      else answers[reader](request, response);
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

function createHooks(times: RouteTimes | null, content: ServerContent, options: RoutingOptions): RequestHooks {
  const { log, staticHeaders, unsent, slowQueries, idOf, onError } = options;
  return {
    headers: (request) => staticHeaders.of(request),
    onReply: ({ route, missing }) => {
      if (missing) log.debug({ route, ...missing }, 'missing permission');
    },
    refuseBody: (body, response) => (unsent.take(body, response) ? null : overloadedReply(overloaded)),
    onReady: ({ request, path }, status, knownRoute, milliseconds, made) => {
      if (knownRoute === undefined) options.times?.observe(routeNames.other, status, milliseconds);
      else times?.observe(knownRoute, status, milliseconds);
      const route = knownRoute ?? routeNames.other;
      if (slowQueries.isSlow(made)) {
        const url = `${content.prefix}/${path}`;
        slowQueries.report({ id: idOf(request), route, url, milliseconds: made }, () => content.explain(url));
      }
    },
    onError,
  };
}

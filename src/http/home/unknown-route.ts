import type { IncomingMessage, ServerResponse } from 'node:http';
import Negotiator from 'negotiator';
import { NotFoundError } from '../../core/errors.ts';
import { errorReply } from '../../query/reply/reply.ts';
import { withoutOrigin } from '../prefix.ts';
import { type HeaderList, sendReply } from '../send.ts';
import { escapeHtml, htmlPage, setPageHeaders } from './html.ts';

/** A request for a path without a route. */
interface UnknownRoute {
  /** The path of the nearest route that the caller may read, or null. */
  readonly nearest: string | null;
  /** Whether replies in JSON are those of Strapi, which give no hint. */
  readonly isLikeStrapi: boolean;
  readonly staticHeaders: HeaderList;
}

/**
 * Answers a path without a route. Programs get a 404 in JSON with the nearest route in a header. Browsers get a page with
 * a link to it.
 */
export function sendUnknownRoute(
  request: IncomingMessage & { baseUrl?: string; originalUrl?: string },
  response: ServerResponse,
  { nearest, isLikeStrapi, staticHeaders }: UnknownRoute,
): void {
  const home = `${request.baseUrl ?? ''}/`;
  if (!prefersPage(request)) {
    const hint = nearest === null ? `the page at ${home} lists what is served` : `did you mean ${nearest}?`;
    const reply = errorReply(new NotFoundError(isLikeStrapi ? undefined : `Not Found: ${hint}`));
    sendReply(request, response, { ...reply, headers: { ...reply.headers, 'X-Lectern-Hint': hint } }, staticHeaders);
    return;
  }
  for (let i = 0; i < staticHeaders.length; i += 2) response.setHeader(staticHeaders[i], staticHeaders[i + 1]);
  setPageHeaders(response);
  response.setHeader('Cache-Control', 'no-store');
  const page = Buffer.from(render(withoutOrigin(request.originalUrl ?? request.url ?? '/'), nearest, home));
  response.writeHead(404, { 'Content-Length': page.length });
  response.end(page);
}

/** Whether a client asks for HTML rather than JSON, as browsers do when a person enters an address. */
export function prefersPage({ headers }: IncomingMessage): boolean {
  return (
    headers.accept !== undefined &&
    new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html'
  );
}

function render(url: string, nearest: string | null, home: string): string {
  const path = escapeHtml(url.replace(/[?#].*/s, ''));
  const link = nearest === null ? '' : `<a href="${escapeHtml(nearest)}"><code>${escapeHtml(nearest)}</code></a>`;
  return htmlPage(
    'Not found',
    `<h1>Not found</h1>
<p>Nothing is served at <code>${path}</code>.${link && ` Did you mean ${link}?`}</p>
<p><a href="${escapeHtml(home)}">The start page</a> lists what can be read without a token.</p>`,
  );
}

import type { IncomingMessage } from 'node:http';
import { createContentUrlTest, serverNames, type UrlSettings, withoutOrigin } from '../../http/router.ts';

/** The interface of content that routing uses. */
export interface UpstreamContent extends UrlSettings {
  /** Whether a URL, including the prefix, matches a content route. The entry need not exist. */
  hasRoute(url: string): boolean;
}

/**
 * Returns a predicate for requests to forward upstream. Reads of content routes, of the server's own routes, and of
 * local uploads are not forwarded. Before the content is loaded, `content` is null and nothing under the prefix is
 * forwarded.
 */
export function createUpstreamTest(
  content: UpstreamContent | null,
  prefix: string,
): (request: IncomingMessage) => boolean {
  const isContent = createContentUrlTest(content ?? { prefix, hasUploads: false });
  return (request) => {
    const url = withoutOrigin(request.url ?? '');
    // `OPTIONS *` asks about this server
    if (!url.startsWith('/')) return false;
    if (!isRead(request)) return true;
    const [, first] = /^\/([^/?#]*)/.exec(url)!;
    const name = first.toLowerCase();
    if (serverNames.has(name) || (content?.hasUploads && name === 'uploads')) return false;
    if (!isContent(url)) return true;
    // the prefix is case-insensitive
    return content !== null && !content.hasRoute(content.prefix + url.slice(content.prefix.length));
  };
}

/** Whether a request is a GET or HEAD, or a preflight of one. */
function isRead({ method, headers }: IncomingMessage): boolean {
  const effectiveMethod = method === 'OPTIONS' ? headers['access-control-request-method'] : method;
  return effectiveMethod === 'GET' || effectiveMethod === 'HEAD';
}

import type { IncomingMessage } from 'node:http';
import { createPathReader, serverNames, type UrlSettings, withoutOrigin } from '../../http/prefix.ts';

/** The interface of content that routing uses. */
export interface UpstreamContent extends UrlSettings {
  /** Whether a path below the prefix matches a content route. The entry need not exist. */
  hasRoute(path: string): boolean;
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
  const pathOf = createPathReader(content ?? { prefix, hasUploads: false });
  return (request) => {
    const url = withoutOrigin(request.url ?? '');
    // `OPTIONS *` asks about this server
    if (!url.startsWith('/')) return false;
    if (!isRead(request)) return true;
    const [, first] = /^\/([^/?#]*)/.exec(url)!;
    const name = first.toLowerCase();
    if (serverNames.has(name) || (content?.hasUploads && name === 'uploads')) return false;
    const path = pathOf(url);
    if (path === null) return true;
    return content !== null && !content.hasRoute(path);
  };
}

/** Whether a request is a GET or HEAD, or a preflight of one. */
function isRead({ method, headers }: IncomingMessage): boolean {
  const effectiveMethod = method === 'OPTIONS' ? headers['access-control-request-method'] : method;
  return effectiveMethod === 'GET' || effectiveMethod === 'HEAD';
}

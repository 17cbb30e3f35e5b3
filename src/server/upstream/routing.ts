import type { IncomingMessage } from 'node:http';
import { createContentUrlTest, serverNames, type UrlSettings, withoutOrigin } from '../../http/router.ts';

/** The content that is served here, as far as routing needs it. */
export interface RoutedContent extends UrlSettings {
  /** Whether a URL, the prefix included, is a route of the content, whatever is found there. */
  hasRoute(url: string): boolean;
}

/**
 * Returns a test whether a request goes to the upstream server. What stays are reads of content routes, of the server's
 * own routes, and of uploaded files where they are served here. Before the content is loaded, `content` is null and
 * everything below the prefix stays.
 */
export function upstreamRequests(content: RoutedContent | null, prefix: string): (request: IncomingMessage) => boolean {
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
    // the prefix may be written in any case
    return content !== null && !content.hasRoute(content.prefix + url.slice(content.prefix.length));
  };
}

/** Whether a request reads, or is a preflight of one that does. */
function isRead({ method, headers }: IncomingMessage): boolean {
  const asked = method === 'OPTIONS' ? headers['access-control-request-method'] : method;
  return asked === 'GET' || asked === 'HEAD';
}

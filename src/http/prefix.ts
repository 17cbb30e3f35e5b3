/** The one rule that tells which URLs belong to the content, for the server and the library. */

/** First path segments of the server's own routes. With an empty prefix, no content type can use them. */
export const serverNames: ReadonlySet<string> = new Set(['_health', '_ready', '_metrics']);

/** First path segments beside the prefix that a content answers for its caller. They are reserved in the same way. */
const contentNames: ReadonlySet<string> = new Set(['_explain', '_explorer', '_openapi.json', '_schema.json']);

/** Returns the first path segments that are no content routes if the prefix is empty, in lower case. */
export function reservedNames(hasUploads: boolean): ReadonlySet<string> {
  return new Set([...serverNames, ...contentNames, ...(hasUploads ? ['uploads'] : [])]);
}

/** The settings that decide which URLs belong to the content. */
export interface UrlSettings {
  readonly prefix: string;
  /** Whether uploaded files are served under `/uploads`. */
  readonly hasUploads: boolean;
}

/**
 * Returns a function from the URL of a request to the path after the prefix and its slash, with the query string. The
 * path is null for URLs outside of the content. The prefix may be in any case, as in Express, and must not be encoded.
 * With an empty prefix, every URL belongs to the content except those of the server's own routes and the home page.
 */
export function createPathReader({ prefix, hasUploads }: UrlSettings): (url: string) => string | null {
  if (prefix === '') {
    const reserved = reservedNames(hasUploads);
    return (url) => {
      const path = withoutOrigin(url);
      const [, first] = /^\/([^/?#]*)/.exec(path) ?? [];
      return first && !reserved.has(first.toLowerCase()) ? path.slice(1) : null;
    };
  }
  const lowerCase = prefix.toLowerCase();
  return (url) => {
    const path = withoutOrigin(url);
    const hasPrefix = path[prefix.length] === '/' && path.slice(0, prefix.length).toLowerCase() === lowerCase;
    return hasPrefix ? path.slice(prefix.length + 1) : null;
  };
}

/** Returns the path of a request from whose URL Express has cut the mount path. */
export function mountedPath(url: string): string {
  const path = withoutOrigin(url);
  return path.startsWith('/') ? path.slice(1) : '';
}

/** Returns the path and query string of a request target, which may be an absolute URL (`GET http://host/api/x`). */
export function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
}

import type { ServerResponse } from 'node:http';

/** By their names in lower case. */
const privateHeaders: ReadonlyMap<string, readonly [name: string, value: string]> = new Map([
  ['cache-control', ['Cache-Control', 'private, no-store']],
  ['x-robots-tag', ['X-Robots-Tag', 'noindex']],
]);

/** Sends headers as `writeHead` of Node does: an object, or a list of names and values. */
type GivenHeaders = Record<string, unknown> | readonly string[] | undefined;

/**
 * Adds headers that forbid caching and indexing to a reply, whether it is content, an error, a file, a redirect or a
 * 304.
 */
export function keepPrivate(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers: GivenHeaders) => ServerResponse;
  response.writeHead = ((status: number, second?: string | GivenHeaders, third?: GivenHeaders) => {
    if (typeof second === 'string') response.statusMessage = second;
    const given = typeof second === 'string' ? third : second;
    for (const [name, value] of privateHeaders.values()) response.setHeader(name, value);
    return writeHead(status, withoutOwn(given));
  }) as typeof response.writeHead;
}

function withoutOwn(headers: GivenHeaders): GivenHeaders {
  if (headers === undefined) return undefined;
  if (Array.isArray(headers)) {
    return headers.filter((_, i) => !privateHeaders.has(String(headers[i - (i % 2)]).toLowerCase()));
  }
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !privateHeaders.has(name.toLowerCase())));
}

import type { ServerResponse } from 'node:http';

const names = ['Cache-Control', 'X-Robots-Tag'];
const lowerCase = new Set(names.map((name) => name.toLowerCase()));
const values = ['private, no-store', 'noindex'];

/** Sends headers as `writeHead` of Node does: an object, or a list of names and values. */
type GivenHeaders = Record<string, unknown> | readonly string[] | undefined;

/**
 * Makes a reply one that no cache stores and no search engine lists, whoever sends it: content, errors, files and
 * redirects, with status 304 too.
 */
export function keepPrivate(response: ServerResponse): void {
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

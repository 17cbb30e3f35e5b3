/** The headers of uploaded files. */
import { extname } from 'node:path';
import { contentType } from 'mime-types';

/** Types that no browser shows as a page with scripts. All other types are sandboxed, so that unknown ones are safe. */
const isPassive = /^(?:image|video|audio|font)\/(?!.*xml)|^application\/pdf$/;
/** Pages whose scripts a browser would run in the origin of the site. They are downloaded. */
const isPage = /^text\/html$|^message\/rfc822$|[/+]xml(?:-|$)/;
const drawing = 'image/svg+xml';

/** Blocks scripts, forms and external resources. */
const sandbox =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:; sandbox";

/**
 * Strapi appends random digits to the names of uploaded files, so a name identifies its content. Only "Replace media"
 * reuses a name.
 */
const hasHash = /_[0-9a-f]{10}\.[^.]+$|_[0-9a-f]{10}$/;

/** Default `max-age` of files that a Strapi may replace under their names, in seconds. */
const replacedFileMaxAge = 60;
/** Default `max-age` of other files, and the maximum of those whose names do not identify them. */
const defaultMaxAge = 31_536_000;
const reusedNameMaxAge = 3600;

/** How long caches may keep files. */
export interface FileCaching {
  /** Maximum in seconds. */
  readonly maxAge: number;
  /** Whether a name that ends with random digits identifies its content. */
  readonly identifies: boolean;
}

/** `maxAge` is the setting `uploadsMaxAge`, which wins. `replacesFiles` is that of the snapshot. */
export function cachingOf(maxAge: number | undefined, replacesFiles: boolean): FileCaching {
  const identifies = maxAge !== undefined || !replacesFiles;
  return { maxAge: maxAge ?? (identifies ? defaultMaxAge : replacedFileMaxAge), identifies };
}

/** Returns the headers of a file, in addition to those of the static middleware, which keeps this `Content-Type`. */
export function headersOf(path: string, caching: FileCaching): [string, string][] {
  const sentType = contentType(extname(path)) || 'application/octet-stream';
  const [type] = sentType.split(';', 1);
  const headers: [string, string][] = [
    ['Content-Type', sentType],
    ['Cache-Control', cacheControlOf(path, caching)],
    ['X-Content-Type-Options', 'nosniff'],
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ];
  if (!isPassive.test(type)) headers.push(['Content-Security-Policy', sandbox]);
  if (isPage.test(type) && type !== drawing) headers.push(['Content-Disposition', 'attachment']);
  return headers;
}

function cacheControlOf(path: string, { maxAge, identifies }: FileCaching): string {
  if (maxAge === 0) return 'public, max-age=0, must-revalidate';
  if (identifies && hasHash.test(path)) return `public, max-age=${maxAge}, immutable`;
  return `public, max-age=${Math.min(maxAge, reusedNameMaxAge)}`;
}

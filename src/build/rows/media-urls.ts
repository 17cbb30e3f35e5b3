/** Rewrites the addresses of media files for replies. */
import { isPlainObject } from '../../base/plain-object.ts';

/** Returns the value as a reply carries it. */
export type Rewrite = (value: unknown) => unknown;

/**
 * Returns, by attribute, how replies show the addresses of a file. Root-relative addresses such as `/uploads/a.png` are
 * prefixed with `mediaUrl`; absolute addresses stay.
 */
export function mediaRewrites(mediaUrl: string): ReadonlyMap<string, Rewrite> {
  const base = mediaUrl.replace(/\/+$/, '');
  const rewriteUrl: Rewrite = (value) => (isRootRelative(value) ? base + value : value);
  const rewriteFormats: Rewrite = (formats) => {
    if (!isPlainObject(formats)) return formats;
    const rewritten = Object.entries(formats).map(([name, format]) => {
      const isFormat = isPlainObject(format) && Object.hasOwn(format, 'url');
      return [name, isFormat ? { ...format, url: rewriteUrl(format.url) } : format];
    });
    return Object.fromEntries(rewritten);
  };
  return new Map([
    ['url', rewriteUrl],
    ['previewUrl', rewriteUrl],
    ['formats', rewriteFormats],
  ]);
}

/** Addresses that begin with two slashes hold a host. */
function isRootRelative(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/') && !value.startsWith('//');
}

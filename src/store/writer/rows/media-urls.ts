/** Rewrites the addresses of media files: those of files for replies, those in texts while rows are added. */
import { isPlainObject } from '../../../core/plain-object.ts';
import { isDeeperThan } from '../../../model/schema/compared-texts.ts';
import { maximumJsonDepth } from '../../../model/schema/value-types.ts';

/** The options of a load that decide which addresses of uploaded files the content has. */
export interface AddressOptions {
  /** Prefix for root-relative URLs of media files in replies. Filters compare the original URLs. */
  readonly mediaUrl?: string;
  /** Origins whose addresses below `/uploads/` in texts get `mediaUrl` in place of the origin, or nothing without it. */
  readonly uploadsOrigins?: readonly string[];
}

/** Returns another value in place of a value, and never changes the value itself. */
export type Rewrite = (value: unknown) => unknown;

/**
 * Returns, by attribute, how replies show the addresses of a file. Root-relative addresses such as `/uploads/a.png` are
 * prefixed with `mediaUrl`; absolute addresses stay.
 */
export function mediaRewrites(mediaUrl: string): ReadonlyMap<string, Rewrite> {
  const base = withoutTrailingSlash(mediaUrl);
  const rewriteUrl: Rewrite = (value) => (isRootRelative(value) ? base + value : value);
  return new Map([
    ['url', rewriteUrl],
    ['previewUrl', rewriteUrl],
    ['formats', (formats) => rewriteFormatUrls(formats, rewriteUrl)],
  ]);
}

function rewriteFormatUrls(formats: unknown, rewriteUrl: Rewrite): unknown {
  if (!isPlainObject(formats)) return formats;
  const rewritten = Object.entries(formats).map(([name, format]) => {
    const isFormat = isPlainObject(format) && Object.hasOwn(format, 'url');
    return [name, isFormat ? { ...format, url: rewriteUrl(format.url) } : format];
  });
  return Object.fromEntries(rewritten);
}

/** Returns what takes `mediaUrl` off the addresses in the formats of a file, as replies show them. */
export function withoutMediaUrl(mediaUrl: string): Rewrite {
  const base = withoutTrailingSlash(mediaUrl);
  const restore = (url: unknown) => {
    const path = typeof url === 'string' && url.startsWith(base) ? url.slice(base.length) : null;
    return isRootRelative(path) ? path : url;
  };
  return (value) => rewriteFormatUrls(value, restore);
}

/** Returns what rewrites the addresses in texts and JSON, or null without `uploadsOrigins`. */
export function textRewrite({ mediaUrl = '', uploadsOrigins = [] }: AddressOptions): Rewrite | null {
  if (uploadsOrigins.length === 0) return null;
  const base = withoutTrailingSlash(mediaUrl);
  const escaped = uploadsOrigins.map((origin) => origin.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const origins = new RegExp(`(?:${escaped.join('|')})(?=/uploads/)`, 'g');
  const rewriteText = (text: string) => text.replace(origins, () => base);
  return (value) => {
    if (typeof value === 'string') return rewriteText(value);
    // the attribute refuses JSON that is too deep
    if (typeof value !== 'object' || isDeeperThan(value, maximumJsonDepth)) return value;
    const json = JSON.stringify(value);
    if (json.search(origins) < 0) return value;
    return JSON.parse(json, (_key, inner) => (typeof inner === 'string' ? rewriteText(inner) : inner));
  };
}

function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** Addresses that begin with two slashes hold a host. */
function isRootRelative(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/') && !value.startsWith('//');
}

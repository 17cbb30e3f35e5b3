/** The cookie that a browser gets for a ticket. It holds the key of the preview's entry, so that it ends with the entry. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ContentEntry } from '../../content/registry/contents.ts';
import type { ContentsSettings } from '../../model/settings/contents.ts';

const cookieName = 'lectern-preview';

export type CookieSettings = ContentsSettings['cookie'];

/** Where a cookie counts, and until when. */
interface CookieScope {
  /** The path of the content, such as `/spring`; empty if its host chooses it. */
  readonly base: string;
  /** Whether the client's connection is encrypted. */
  readonly isEncrypted: boolean;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** Returns the value of `Set-Cookie`. A cookie without a domain goes to its host alone. */
export function cookieOf(
  { browserKey, put }: ContentEntry,
  { sameSite }: CookieSettings,
  { base, isEncrypted, now }: CookieScope,
): string {
  const isForFrames = sameSite === 'none';
  const expires = put?.expires ?? null;
  const seconds = expires === null ? null : Math.max(1, Math.ceil((Date.parse(expires) - now) / 1000));
  return [
    `${cookieName}=${browserKey}`,
    `Path=${base}/`,
    ...(seconds === null ? [] : [`Max-Age=${seconds}`]),
    'HttpOnly',
    ...(isEncrypted || isForFrames ? ['Secure'] : []),
    ...(isForFrames ? ['SameSite=None', 'Partitioned'] : ['SameSite=Lax']),
  ].join('; ');
}

/** Whether a request has the cookie of an entry. A page of another host may have added cookies of the same name. */
export function hasCookie({ headers: { cookie = '' } }: IncomingMessage, { browserKey }: ContentEntry): boolean {
  const key = Buffer.from(browserKey);
  return cookie.split(';').some((pair) => {
    const [name, value = ''] = pair.trim().split('=', 2);
    const given = Buffer.from(value);
    return name === cookieName && given.length === key.length && timingSafeEqual(given, key);
  });
}

/**
 * Whether a browser sends a request for a page of the same origin, or because a person follows a link or enters an
 * address. The cookie counts for no other request, so that pages of other origins read nothing with it.
 */
export function isOwnRequest(
  { headers }: IncomingMessage,
  { sameSite, frameAncestors }: CookieSettings,
  isEncrypted: boolean,
): boolean {
  const { origin, host, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if (origin !== undefined && !isOrigin(origin, host, isEncrypted)) return false;
  // browsers send it over HTTPS, without which they keep no cookie for frames
  if (site === undefined) return sameSite === 'lax';
  if (site === 'same-origin' || site === 'none') return true;
  const isShown = destination === 'document' || (destination === 'iframe' && frameAncestors.length > 0);
  return (site === 'same-site' || site === 'cross-site') && mode === 'navigate' && isShown;
}

function isOrigin(origin: string, host: string | undefined, isEncrypted: boolean): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.host === host?.toLowerCase() && (!isEncrypted || url.protocol === 'https:');
}

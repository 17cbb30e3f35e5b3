import { Content } from '../../src/content/content.ts';
import type { CompactionParts } from '../../src/content/versions/compactions.ts';
import { etagOf } from '../../src/http/send.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { publicationFilters } from '../../src/query/bound.ts';
import type { Database, Dialect, Feature } from '../naive/snapshot.ts';
import { sha256 } from '../support/guide.ts';
import { jwtOf, jwtSecret } from '../support/jwt.ts';
import type { Address } from './addresses.ts';

/** What a caller sees of a reply. */
export interface Seen {
  status: number;
  headers: Record<string, string>;
  etag: string;
  body: string;
}

export interface Difference {
  address: Address;
  expected: Seen;
  found: Seen;
}

/** The digest covers the types, and only exports have one of permissions. */
export function withoutDigest({ headers: { 'X-Lectern-Snapshot': _, ...headers }, ...seen }: Seen): object {
  return { ...seen, headers };
}

/** Opens content with a token for everything. Users sign in with JWTs. Targets may have several owners, as in Strapi. */
export async function openFor(
  source: string | JsonSnapshot,
  dialect: Dialect,
  compactions: CompactionParts = {},
  drafts = false,
  database?: Database,
  features: readonly Feature[] = [],
): Promise<Content> {
  const tokens = [{ name: 'everything', sha256: sha256('everything'), type: 'full-access' as const }];
  const tolerance = 'tolerant' as const;
  // costs are estimates, and may differ between contents that answer alike
  const budgets = { steps: 1_000_000_000 };
  const switched = features.length > 0 ? { features: [...features] } : {};
  const settings = readOptions({ dialect, tokens, jwtSecret, tolerance, drafts, budgets, ...switched });
  return new Content(await loadSnapshot(source, { dialect, database, tolerance }), settings, 0, { compactions });
}

/** Leaves out what differs between drafts and the same entries, published. */
export function withoutPublication({ status, body }: Seen): object {
  return { status, body: body.replaceAll(/"publishedAt":(null|"[^"]*")/g, '"publishedAt":…') };
}

const versionParameters = /^(status|publicationFilter|hasPublishedVersion)\b/;

/** Returns the URL without its status and publication filter. Null if it compares dates, or if one may be wrong. */
export function withoutStatus({ url, caller }: Address): Address | null {
  const [path, query = ''] = url.split('?');
  const parts = query.split('&');
  const isKnown = (part: string) => {
    const [name, value = ''] = part.split('=');
    if (name === 'status') return value === 'draft' || value === 'published';
    return name === 'publicationFilter' ? publicationFilters.some((known) => known === value) : value === 'true';
  };
  const named = parts.filter((part) => versionParameters.test(part));
  if (url.includes('publishedAt') || !named.every(isKnown)) return null;
  return { url: `${path}?${parts.filter((part) => !named.includes(part)).join('&')}`, caller };
}

/**
 * Returns the first reply that differs, or null. `sees` leaves out what may differ. `otherAddress` returns the URL that the expected
 * content is asked, or null for none.
 */
export async function findDifference(
  found: Content,
  expected: Content,
  addresses: readonly Address[],
  sees: (seen: Seen) => object = (seen) => seen,
  otherAddress: (address: Address) => Address | null = (address) => address,
): Promise<Difference | null> {
  for (const address of addresses) {
    const asked = otherAddress(address);
    if (!asked) continue;
    const [one, other] = [await ask(found, address), await ask(expected, asked)];
    if (JSON.stringify(sees(one)) === JSON.stringify(sees(other))) continue;
    return { address, expected: other, found: one };
  }
  return null;
}

export async function ask(content: Content, { url, caller }: Address): Promise<Seen> {
  const token = caller === 'everything' ? caller : jwtOf(caller as number);
  const reply = await content.answer(url, { authorization: caller === 'public' ? undefined : `Bearer ${token}` });
  const { 'X-Lectern-Version': _, ...headers } = reply.headers;
  return { status: reply.status, headers, etag: etagOf(reply, null), body: String(reply.body) };
}

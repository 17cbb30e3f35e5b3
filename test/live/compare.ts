import { readOptions } from '../../src/config/read-config.ts';
import type { CompactionParts } from '../../src/content/compactions.ts';
import { Content } from '../../src/content.ts';
import { etagOf } from '../../src/http/etag.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { Dialect } from '../naive/snapshot.ts';
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
): Promise<Content> {
  const tokens = [{ name: 'everything', sha256: sha256('everything'), type: 'full-access' as const }];
  const tolerance = 'tolerant' as const;
  // costs are estimates, and may differ between contents that answer alike
  const settings = readOptions({ dialect, tokens, jwtSecret, tolerance, budgets: { steps: 1_000_000_000 } });
  return new Content(await loadSnapshot(source, { dialect, tolerance }), settings, 0, { compactions });
}

/** Returns the first reply that differs, or null. `sees` leaves out what may differ. */
export async function findDifference(
  found: Content,
  expected: Content,
  addresses: readonly Address[],
  sees: (seen: Seen) => object = (seen) => seen,
): Promise<Difference | null> {
  for (const address of addresses) {
    const [one, other] = [await ask(found, address), await ask(expected, address)];
    if (JSON.stringify(sees(one)) === JSON.stringify(sees(other))) continue;
    return { address, expected: other, found: one };
  }
  return null;
}

async function ask(content: Content, { url, caller }: Address): Promise<Seen> {
  const token = caller === 'everything' ? caller : jwtOf(caller as number);
  const reply = await content.answer(url, { authorization: caller === 'public' ? undefined : `Bearer ${token}` });
  const { 'X-Lectern-Version': _, ...headers } = reply.headers;
  return { status: reply.status, headers, etag: etagOf(reply, null), body: String(reply.body) };
}

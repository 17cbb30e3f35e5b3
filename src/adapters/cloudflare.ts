/** Cloudflare: purges what a change made stale, by the tags in `Cache-Tag`. */
import { inLists, sendAll } from './purge.ts';
import { type Handler, webhookHandler } from './stale-event.ts';

export interface CloudflareOptions {
  /** The id of the zone. */
  readonly zone: string;
  /** An API token with the permission Cache Purge. */
  readonly token: string;
  /** Maximum tags of one request (100, the limit of every plan). */
  readonly tagsPerRequest?: number;
  /** Maximum requests for one event (25, as many as every plan takes at once). Beyond, everything is purged. */
  readonly requestsPerEvent?: number;
  /** The address of the API. */
  readonly api?: string;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** Purges the replies with one of the tags, or all replies of the zone for null. Rejects if Cloudflare does not take it. */
export async function purgeTags(tags: readonly string[] | null, options: CloudflareOptions): Promise<void> {
  const { zone, token, tagsPerRequest = 100, requestsPerEvent = 25 } = options;
  const { api = 'https://api.cloudflare.com/client/v4' } = options;
  const lists = tags && inLists(tags, tagsPerRequest);
  const isTooMuch = lists === null || lists.length > requestsPerEvent;
  const bodies = isTooMuch ? [{ purge_everything: true }] : lists.map((list) => ({ tags: list }));
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const url = `${api}/zones/${zone}/purge_cache`;
  const requests = bodies.map((body) => new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }));
  await sendAll(requests, options.fetch);
}

/** Returns a handler of Lectern's webhook. Its status is 2xx when Cloudflare has taken all tags. */
export function createPurgeHandler({
  secret,
  ...options
}: CloudflareOptions & { secret: string | undefined }): Handler {
  return webhookHandler(secret, ({ tags }) => purgeTags(tags, options));
}

/**
 * Nuxt: pages that Nitro keeps by `routeRules` name what they show in `Cache-Tag`, and a route removes those that a
 * change made stale.
 */
import { anyChange, everyRead, tagsOf } from './reply-tags.ts';
import { type Handler, type StaleEvent, webhookHandler } from './stale-event.ts';

/** What is used of the event of a request, as `useRequestEvent()` returns it. */
export interface RequestEvent {
  readonly node: {
    readonly res: { readonly headersSent: boolean; setHeader(name: string, value: string): unknown };
  };
}

/** Maximum characters of the tags of a page. Proxies reject long headers. */
const maximumLength = 4096;

/** Returns a `fetch` for the requests of one page. In a browser, where there is no event, it is the global one. */
export function createTaggedFetch(event: RequestEvent | undefined): typeof fetch {
  if (!event) return fetch;
  const { res } = event.node;
  const tags = new Set([everyRead]);
  let oldest = '';
  // also for a page that reads nothing
  res.setHeader('cache-tag', everyRead);
  return async (input, init) => {
    const response = await fetch(input, init);
    for (const tag of tagsOf(response)) tags.add(tag);
    const version = response.headers.get('X-Lectern-Version') ?? '';
    if (oldest === '' || isBefore(version, oldest)) oldest = version;
    if (!res.headersSent) {
      const names = [...tags].join(',');
      res.setHeader('cache-tag', names.length <= maximumLength ? names : `${everyRead},${anyChange}`);
      res.setHeader('x-lectern-version', oldest);
    }
    return response;
  };
}

export interface StaleHandlerOptions {
  /** The setting `webhook.secret` of Lectern. */
  readonly secret: string | undefined;
  /** `useStorage('cache')`. */
  readonly storage: CacheStorage;
}

interface CacheStorage {
  getKeys(base: string): Promise<string[]>;
  getItem(key: string): Promise<unknown>;
  removeItem(key: string): Promise<void>;
}

/** Milliseconds within which a page is rendered. */
const renderTime = 10_000;

/** Returns the handler of the route that the setting `webhook.url` of Lectern leads to, for `fromWebHandler`. */
export function createStaleHandler({ secret, storage }: StaleHandlerOptions): Handler {
  return webhookHandler(secret, async (event) => {
    await removeStale(storage, event);
    // pages that read before the change and are stored after it
    const again = setTimeout(() => void removeStale(storage, event).catch(console.error), renderTime);
    again.unref?.();
  });
}

async function removeStale(storage: CacheStorage, event: StaleEvent): Promise<void> {
  const tags = event.tags && new Set(event.tags);
  // the data of pages, for browsers. It has no tags
  for (const key of await storage.getKeys('nuxt:payload')) await storage.removeItem(key);
  for (const key of await storage.getKeys('nitro:routes')) {
    const page = (await storage.getItem(key)) as { value?: { headers?: Record<string, string> } } | null;
    const headers = page?.value?.headers;
    const names = headers?.['cache-tag']?.split(',') ?? [];
    const isStale = tags === null || names.length === 0 || names.some((name) => tags.has(name));
    const isNewer = tags !== null && names.length > 0 && !isBefore(headers!['x-lectern-version'] ?? '', event.version);
    if (isStale && !isNewer) await storage.removeItem(key);
  }
}

/** Compares two versions `EPOCH-SEQUENCE`. */
function isBefore(version: string, other: string): boolean {
  const [epoch, sequence] = version.split('-').map(Number);
  const [otherEpoch, otherSequence] = other.split('-').map(Number);
  return !(epoch > otherEpoch || (epoch === otherEpoch && sequence >= otherSequence));
}

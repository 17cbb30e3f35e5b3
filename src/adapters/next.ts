/**
 * Next.js: cached functions get the tags of the replies that they read, and a route renews what a change made stale.
 * The functions of `next/cache` are handed in, so that this package does not depend on Next.js.
 */
import { everyRead, tagsOf } from './reply-tags.ts';
import { type Handler, webhookHandler } from './stale-event.ts';

export interface TaggedFetchOptions {
  /** From `next/cache`. */
  readonly cacheTag: (...tags: string[]) => void;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** Returns a `fetch` for functions with `'use cache'`. Next.js takes 128 tags of a reply. */
export function createTaggedFetch({ cacheTag, fetch: ask }: TaggedFetchOptions): typeof fetch {
  return async (input, init) => {
    // the global one is looked up for each call, because Next.js replaces it
    const response = await (ask ?? fetch)(input, init);
    cacheTag(...tagsOf(response));
    return response;
  };
}

export interface StaleHandlerOptions {
  /** The setting `webhook.secret` of Lectern. */
  readonly secret: string | undefined;
  /** From `next/cache`. */
  readonly revalidateTag: (tag: string, profile: { expire: number }) => void;
}

/** Returns the handler of the route that the setting `webhook.url` of Lectern leads to: `export const POST`. */
export function createStaleHandler({ secret, revalidateTag }: StaleHandlerOptions): Handler {
  return webhookHandler(secret, ({ tags }) => {
    for (const tag of tags ?? [everyRead]) revalidateTag(tag, { expire: 0 });
  });
}

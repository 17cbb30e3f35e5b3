import { RequestError } from '../base/errors.ts';
import type { Tag } from '../store/tags.ts';
import type { ChangeFeed } from './change-feed.ts';

/**
 * Calls the listener after each change that concerns the tags of an answer. `tagsNow` returns those of the content that
 * is served. Returns a function that ends the calls.
 */
export function subscribe(
  changes: ChangeFeed,
  tagsNow: () => ReadonlySet<Tag>,
  listener: (version: string) => void,
): () => void {
  let tags = tagsNow();
  const endRebases = changes.listenToRebases(() => void (tags = tagsOrNone(tagsNow)));
  const endChanges = changes.listen(({ version, stale }) => {
    if (stale && ![...tags].some((tag) => stale.tags.has(tag))) return;
    listener(version);
    tags = tagsOrNone(tagsNow);
  });
  return () => {
    endRebases();
    endChanges();
  };
}

/** An answer that other content no longer has depends on nothing until the next base. */
function tagsOrNone(tagsNow: () => ReadonlySet<Tag>): ReadonlySet<Tag> {
  try {
    return tagsNow();
  } catch (error) {
    if (error instanceof RequestError) return new Set();
    throw error;
  }
}

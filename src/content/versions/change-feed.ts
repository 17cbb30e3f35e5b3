import type { VersionedSnapshot } from '../../load/loaded.ts';
import type { Store } from '../../store/store.ts';
import { staleNames } from '../../store/tags/tag-names.ts';
import type { Tag } from '../../store/tags/tags.ts';

/** A change of content, which is served when it is published. */
export interface PublishedChange {
  /** As in the header `X-Lectern-Version`. */
  readonly version: string;
  /** Null if everything may differ: another base, or other roles and permissions. */
  readonly stale: StaleParts | null;
}

/** What a batch made stale. */
export interface StaleParts {
  readonly before: Store;
  readonly after: Store;
  readonly tags: ReadonlySet<Tag>;
}

/** A change as listeners get it. */
export interface StaleEvent {
  /** The version that is served now, as in the header `X-Lectern-Version`. */
  readonly version: string;
  /** The names of what differs, as in the header `Cache-Tag`. Null if everything may differ. */
  readonly tags: readonly string[] | null;
}

/** A batch with more names than this counts as one that makes everything stale. */
const maximumNames = 10_000;

/** The stores before and after a compaction, with the same content. */
export interface RebasedStores {
  readonly before: Store;
  readonly after: Store;
}

/**
 * Tells listeners about changes, in order and in the call of `publish`. An error of a listener reaches no other
 * listener. No listener is called after it was removed.
 */
export class ChangeFeed {
  readonly #listeners = new Set<(change: PublishedChange) => void>();
  readonly #rebased = new Set<(stores: RebasedStores) => void>();
  readonly #compacted = new Set<(snapshot: VersionedSnapshot) => void>();
  readonly #named = new Set<(event: StaleEvent) => void>();
  /** The change that is being delivered, and those after it. */
  readonly #waiting: PublishedChange[] = [];

  /** A listener may publish the next change. All listeners get that after the current one. */
  publish(change: PublishedChange): void {
    this.#waiting.push(change);
    if (this.#waiting.length > 1) return;
    for (; this.#waiting.length > 0; this.#waiting.shift()) this.#deliver(this.#waiting[0]);
  }

  #deliver(change: PublishedChange): void {
    callAll(this.#listeners, change);
    if (this.#named.size === 0) return;
    callAll(this.#named, { version: change.version, tags: namesOf(change) });
  }

  /** Tells that the same content is served with other row numbers, which tags hold. */
  rebase(stores: RebasedStores): void {
    callAll(this.#rebased, stores);
  }

  /** Tells that a compaction has ended, after `rebase`. */
  compacted(snapshot: VersionedSnapshot): void {
    callAll(this.#compacted, snapshot);
  }

  /** The listener gets what each compaction made. Returns a function that ends the calls. */
  listenToCompactions(listener: (snapshot: VersionedSnapshot) => void): () => void {
    return added(this.#compacted, listener);
  }

  /** Returns a function that ends the calls of `rebase`. */
  listenToRebases(listener: (stores: RebasedStores) => void): () => void {
    return added(this.#rebased, listener);
  }

  /** Returns a function that ends the calls. */
  listen(listener: (change: PublishedChange) => void): () => void {
    return added(this.#listeners, listener);
  }

  /** As `listen`, with the names of what is stale. */
  listenToNames(listener: (event: StaleEvent) => void): () => void {
    return added(this.#named, listener);
  }
}

/** Returns null if everything may differ: also if the names cannot be found, which is a mistake in Lectern. */
function namesOf({ version, stale }: PublishedChange): readonly string[] | null {
  if (!stale) return null;
  try {
    const names = staleNames(stale.before, stale.after, stale.tags);
    return names.size <= maximumNames ? [...names] : null;
  } catch (error) {
    process.emitWarning(`The event of ${version} says that everything may differ: ${(error as Error).stack}`);
    return null;
  }
}

function added<T>(set: Set<(value: T) => void>, listener: (value: T) => void): () => void {
  const own = (value: T) => listener(value);
  set.add(own);
  return () => void set.delete(own);
}

/** Calls the listeners of now, without those that an earlier listener removes. */
function callAll<T>(listeners: ReadonlySet<(value: T) => void>, value: T): void {
  for (const listener of [...listeners]) if (listeners.has(listener)) callListener(listener, value);
}

/** Throws the error of a listener outside of the caller, as an EventTarget does. */
export function callListener<T>(listener: (value: T) => void, value: T): void {
  try {
    listener(value);
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
}

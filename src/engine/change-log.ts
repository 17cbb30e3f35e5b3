import type { Tag } from '../store/tags.ts';

/** Above this number of tags, the log forgets them all: every earlier reply counts as stale then. */
const maximumTags = 200_000;

/** Remembers which tags were made stale, so that a cached reply can be judged when it is used again. */
export class ChangeLog {
  readonly #staleSince = new Map<Tag, number>();
  #sequence = 0;
  /** Replies from before this number are stale. */
  #forgotten = 0;

  /** The number of the last batch. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Records a batch. Null: it makes everything stale. */
  record(stale: Iterable<Tag> | null): void {
    this.#sequence++;
    if (stale) for (const tag of stale) this.#staleSince.set(tag, this.#sequence);
    if (stale && this.#staleSince.size <= maximumTags) return;
    this.#staleSince.clear();
    this.#forgotten = this.#sequence;
  }

  /** Returns whether any of the tags became stale after the batch with a number. */
  isStale(tags: readonly Tag[], since: number): boolean {
    return since < this.#forgotten || tags.some((tag) => (this.#staleSince.get(tag) ?? 0) > since);
  }
}

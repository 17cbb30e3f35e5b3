import { rowsCountedBy, type Tag } from '../../store/tags/tags.ts';

/** Above this number of tags, the log forgets them all: every earlier reply counts as stale then. */
const maximumTags = 200_000;

/** Remembers which tags were made stale, so that a cached reply can be judged when it is used again. */
export class ChangeLog {
  readonly #staleSince = new Map<Tag, number>();
  #sequence = 0;
  /** Replies from before this number are stale. */
  #forgotten = 0;
  /** By `rowsCountedBy`: since when rows have other numbers. */
  readonly #renumberedSince = new Map<number, number>();

  /** The number of the last batch or compaction. */
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

  /** Records that rows have other numbers from now on: all those that one of the tags counts. */
  renumber(tags: Iterable<Tag>): void {
    this.#sequence++;
    for (const tag of tags) this.#renumberedSince.set(rowsCountedBy(tag as number), this.#sequence);
  }

  /** Returns whether any of the tags became stale, or names another row, after the batch with a number. */
  isStale(tags: readonly Tag[], since: number): boolean {
    return since < this.#forgotten || tags.some((tag) => this.#lastChange(tag) > since);
  }

  #lastChange(tag: Tag): number {
    const stale = this.#staleSince.get(tag) ?? 0;
    return typeof tag === 'string' ? stale : Math.max(stale, this.#renumberedSince.get(rowsCountedBy(tag)) ?? 0);
  }
}

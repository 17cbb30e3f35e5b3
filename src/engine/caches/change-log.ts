import { isScalar } from '../../model/schema/schema.ts';
import { readNumber } from '../../store/read-value.ts';
import { rowOfId } from '../../store/segment.ts';
import type { Store } from '../../store/store.ts';
import { linksTag, numberingOf, presenceTag, readTag, rowTag, type Tag } from '../../store/tags/tags.ts';

/** Above this number of tags, the log forgets them all: every earlier reply counts as stale then. */
const maximumTags = 200_000;

/** Remembers which tags were made stale, so that a cached reply can be judged when it is used again. */
export class ChangeLog {
  readonly #staleSince = new Map<Tag, number>();
  #sequence = 0;
  /** Replies from before this number are stale. */
  #forgotten = 0;
  /** By `numberingOf`: since when rows have other numbers. */
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
    for (const tag of tags) this.#renumberedSince.set(numberingOf(tag as number), this.#sequence);
  }

  /** Returns whether any of the tags became stale, or names another row, after the batch with a number. */
  isStale(tags: readonly Tag[], since: number): boolean {
    return since < this.#forgotten || tags.some((tag) => this.#lastChange(tag) > since);
  }

  #lastChange(tag: Tag): number {
    const stale = this.#staleSince.get(tag) ?? 0;
    return typeof tag === 'string' ? stale : Math.max(stale, this.#renumberedSince.get(numberingOf(tag)) ?? 0);
  }
}

/** Yields a tag for each type whose row numbers change when the store is compacted. */
export function* renumberedRows({ segments, schema }: Store): Generator<Tag> {
  for (const { collection, dead, isInIdOrder } of segments) {
    if (dead.length === 0 && isInIdOrder) continue;
    yield rowTag(collection.number, 0);
    yield presenceTag(collection.number, 0);
    for (const attribute of collection.type.attributes.values()) {
      if (!isScalar(attribute)) yield linksTag(schema.numberOf(attribute), 0);
    }
  }
}

/**
 * Returns a function that maps row tags of one store to tags of the same rows after compaction, or null if a row is
 * gone. Returns null if all rows keep their numbers.
 */
export function renumberTags(before: Store, after: Store): ((tags: ReadonlySet<Tag>) => Set<Tag> | null) | null {
  const renumbered = new Set(Array.from(renumberedRows(before), (tag) => numberingOf(tag as number)));
  if (renumbered.size === 0) return null;
  const rowAfter = (collection: number, row: number) => {
    const id = readNumber(before.segments[collection], row, 'id');
    return id === null ? undefined : rowOfId(after.segments[collection], id);
  };
  const tagAfter = (tag: Tag): Tag | undefined => {
    if (typeof tag === 'string' || !renumbered.has(numberingOf(tag))) return tag;
    const parts = readTag(tag);
    if (parts.kind === 'row' || parts.kind === 'presence') {
      const row = rowAfter(parts.collection, parts.row);
      const tagOf = parts.kind === 'row' ? rowTag : presenceTag;
      return row === undefined ? undefined : tagOf(parts.collection, row);
    }
    if (parts.kind !== 'links') return tag;
    const { type } = before.schema.attributeAt(parts.attribute);
    const row = rowAfter(before.byUid.get(type.uid)!.number, parts.row);
    return row === undefined ? undefined : linksTag(parts.attribute, row);
  };
  return (tags) => {
    const found = new Set(Array.from(tags, tagAfter));
    return found.has(undefined) ? null : (found as Set<Tag>);
  };
}

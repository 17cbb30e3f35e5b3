import type { PublishedChange } from './publication.ts';

/** Bytes of changes that one read returns, except for a single change that is larger. */
export const maxReadBytes = 16 * 2 ** 20;

/** Collects changes of one read, in order and without gaps. */
export class ChangeList {
  readonly changes: PublishedChange[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.#bytes >= maxReadBytes;
  }

  /** Whether a change of some bytes would be too much. The first never is. */
  isTooMuch(bytes: number): boolean {
    return this.changes.length > 0 && this.#bytes + bytes > maxReadBytes;
  }

  /** Returns whether the change was added: it follows the last one. */
  add(change: PublishedChange, bytes: number): boolean {
    const last = this.changes.at(-1);
    if (last) {
      const isNext = change.epoch === last.epoch && change.sequence === last.sequence + 1;
      if (!isNext || change.digests.before !== last.digests.after) return false;
    }
    this.changes.push(change);
    this.#bytes += bytes;
    return true;
  }
}

import type { LoggedChange } from '../../changes/log/logged-change.ts';
import type { PublishedImage, PublishedState } from '../../publication/publication.ts';
import { follows, isSameState, stateAfter } from '../../publication/states.ts';

/** Changes after which an image is due, so that the start of a replica has a bound. */
const longestLog = 1000;
/** Bytes of changes after which an image is due, if a quarter of the last image is less. */
const leastBytes = 8 * 2 ** 20;

interface Remembered {
  readonly change: LoggedChange;
  readonly bytes: number;
}

/**
 * The changes since the image before the last one, which a publication keeps, too: its publisher appends them again if the
 * publication has lost them.
 */
export class LogSinceImage {
  #changes: Remembered[] = [];

  /** Begins at an image: forgets changes up to it, and those of another epoch. */
  begin({ epoch, sequence }: Pick<PublishedState, 'epoch' | 'sequence'>): void {
    this.#changes = this.#changes.filter(({ change }) => change.epoch === epoch && change.sequence > sequence);
  }

  add(change: LoggedChange): void {
    this.#changes.push({ change, bytes: JSON.stringify(change.changes).length });
  }

  /** Whether so many changes follow the last image that another should be published. */
  isLong(image: Pick<PublishedImage, 'sequence' | 'bytes'>): boolean {
    const later = this.#changes.filter(({ change }) => change.sequence > image.sequence);
    const bytes = later.reduce((total, each) => total + each.bytes, 0);
    return later.length >= longestLog || bytes >= Math.max(leastBytes, image.bytes / 4);
  }

  /** Returns the changes that lead from one state to another, or null if it does not have them. */
  between(from: PublishedState, to: PublishedState): readonly LoggedChange[] | null {
    let state = from;
    const found: LoggedChange[] = [];
    for (const { change } of this.#changes) {
      if (change.sequence <= state.sequence || state.sequence >= to.sequence) continue;
      if (!follows(change, state)) return null;
      state = stateAfter(change);
      found.push(change);
    }
    return isSameState(state, to) ? found : null;
  }
}

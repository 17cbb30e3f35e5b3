import type { Head, PublishedChange, PublishedState } from './publication.ts';
import { isSameState } from './states.ts';

/** An append, as drivers carry it out. */
export interface Append {
  readonly expected: PublishedState | null;
  readonly head: Head;
  readonly changes: readonly PublishedChange[];
  /** Whether the log begins anew, at the image of the head. */
  readonly isNewLog: boolean;
}

/**
 * Returns an append, after a check that its changes lead to the head: from the expected state, or from the image of the
 * head where a log begins. A head that no changes lead to must be that of its image. Throws an Error otherwise, since
 * readers could not reach the head.
 */
export function checkAppend(
  expected: PublishedState | null,
  head: Head,
  changes: readonly PublishedChange[] = [],
): Append {
  const isNewLog = expected === null || expected.epoch !== head.epoch;
  const { image } = head;
  if (image.epoch !== head.epoch || image.sequence > head.sequence) {
    throw new Error(`no log leads from the image ${nameOf(image)} to the head ${nameOf(head)}`);
  }
  let state: PublishedState = isNewLog ? image : expected;
  for (const { epoch, sequence, digests } of changes) {
    if (epoch !== state.epoch || sequence !== state.sequence + 1 || digests.before !== state.digest) {
      throw new Error(`the change ${epoch}-${sequence} does not follow the state ${nameOf(state)}`);
    }
    state = { epoch, sequence, digest: digests.after };
  }
  if (isSameState(state, head)) return { expected, head, changes, isNewLog };
  const isJump = changes.length === 0 && head.sequence > state.sequence && isSameState(image, head);
  if (!isJump) throw new Error(`the changes lead to ${nameOf(state)} and not to the head ${nameOf(head)}`);
  return { expected, head, changes, isNewLog };
}

/** Returns the version of a state as keys and files name it. */
export function nameOf({ epoch, sequence }: Pick<PublishedState, 'epoch' | 'sequence'>): string {
  return `${epoch}-${sequence}`;
}

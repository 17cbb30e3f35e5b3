import type { PublishedChange, PublishedState } from './publication.ts';

export function isSameState(one: PublishedState | null, other: PublishedState | null): boolean {
  if (one === null || other === null) return one === other;
  return one.epoch === other.epoch && one.sequence === other.sequence && one.digest === other.digest;
}

/** Whether a change leads on from a state. */
export function follows({ epoch, sequence, digests }: PublishedChange, state: PublishedState): boolean {
  return epoch === state.epoch && sequence === state.sequence + 1 && digests.before === state.digest;
}

/** Returns the state that a change leads to. */
export function stateAfter({ epoch, sequence, digests }: PublishedChange): PublishedState {
  return { epoch, sequence, digest: digests.after };
}

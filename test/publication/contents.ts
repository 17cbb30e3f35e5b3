/** Heads and changes for tests. The digest of a state tells its history. */
import type { Head, PublishedChange, PublishedImage, PublishedState } from '../../src/publication/publication.ts';

export function stateAt(sequence: number, epoch = 1): PublishedState {
  return { epoch, sequence, digest: `digest ${sequence}` };
}

export function imageAt(sequence: number, epoch = 1): PublishedImage {
  return { ...stateAt(sequence, epoch), sha256: sequence.toString(16).padStart(64, '0'), bytes: 10 };
}

export function headAt(sequence: number, more: Partial<Head> & { readonly imageSequence?: number } = {}): Head {
  const { imageSequence = 0, ...fields } = more;
  const state = stateAt(sequence, fields.epoch);
  const image = imageAt(imageSequence, fields.epoch);
  return { ...state, image, settings: 'settings', pinned: null, source: 'source', ...fields };
}

export function changeAt(sequence: number, changes: unknown = [`change ${sequence}`], epoch = 1): PublishedChange {
  const digests = { before: stateAt(sequence - 1).digest, after: stateAt(sequence).digest };
  return { epoch, sequence, digests, changes };
}

/** Changes from one sequence to another, both included. */
export function changesBetween(first: number, last: number): PublishedChange[] {
  return Array.from({ length: last - first + 1 }, (_, i) => changeAt(first + i));
}

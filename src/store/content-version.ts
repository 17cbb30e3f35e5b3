/** Names a state of content. Versions of one content are in order. */
export interface ContentVersion {
  /** The number of the base, which all threads share. Each base has a greater one than those before. */
  readonly epoch: number;
  /** The number of batches of changes since the base. */
  readonly sequence: number;
}

export function versionText({ epoch, sequence }: ContentVersion): string {
  return `${epoch}-${sequence}`;
}

/** Compares versions of one content. */
export function isLater(version: string, than: string): boolean {
  const [epoch, sequence] = version.split('-').map(Number);
  const [otherEpoch, otherSequence] = than.split('-').map(Number);
  return epoch === otherEpoch ? sequence > otherSequence : epoch > otherEpoch;
}

/** Returns the version after some changes. */
export function nextVersion({ epoch, sequence }: ContentVersion, count = 1): ContentVersion {
  return { epoch, sequence: sequence + count };
}

let last = 0;

/** Makes further bases have greater epochs: the clock may have been set back since this one was made. */
export function exceedEpoch({ epoch }: ContentVersion): void {
  last = Math.max(last, epoch);
}

/**
 * Returns the version of a new base. Its epoch is the time in milliseconds, or the next number if that is not greater than
 * the last one.
 */
export function firstVersion(): ContentVersion {
  last = Math.max(Date.now(), last + 1);
  return { epoch: last, sequence: 0 };
}

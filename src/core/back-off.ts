/** Pauses between attempts, in milliseconds. */
export interface Pauses {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the pause after `failures` consecutive failures (at least 1). Each is twice as long as the one before, up to
 * the last.
 */
export function backOff(failures: number, { first, last }: Pauses): number {
  return Math.min(first * 2 ** (failures - 1), last);
}

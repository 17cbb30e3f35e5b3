/** Limits on one batch of changes. An exceeded limit is an error that gives its value. */
export const batchLimits = {
  /** Bytes of a batch as JSON. Whoever reads the JSON checks it; `findLimitViolation` checks its depth and values. */
  bytes: 64 * 2 ** 20,
  /** Entries of a batch, or changes in JSON. */
  entities: 10_000,
  /** Lists of links. */
  links: 100_000,
  /** Links in all lists. */
  targets: 1_000_000,
} as const;

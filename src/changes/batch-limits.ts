/** Limits on one batch of changes. An exceeded limit is an error that gives its value. */
export const batchLimits = {
  /** Bytes of a batch as JSON, and its values: commas and opening brackets. Whoever reads the JSON checks both. */
  bytes: 64 * 2 ** 20,
  values: 10_000_000,
  /** Entries of a batch, or changes in JSON. */
  entities: 10_000,
  /** Lists of links. */
  links: 100_000,
  /** Links in all lists. */
  targets: 1_000_000,
  /** Id of a new row. After greater ids, those of new rows follow within `idGap`. */
  id: 2 ** 52,
  idGap: 2 ** 24,
} as const;

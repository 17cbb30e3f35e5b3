import { maximumJsonKeys } from '../../model/schema/value-types.ts';

/** Limits on one batch of changes. An exceeded limit is an error that gives its value. */
export const batchLimits = {
  /**
   * Bytes of a batch as JSON, its values (commas and opening brackets), and the keys of one object in it: those that JSON
   * in an attribute may have. Whoever reads the JSON checks them.
   */
  bytes: 64 * 2 ** 20,
  values: 6_000_000,
  keys: maximumJsonKeys,
  /** Bytes of one text in the JSON. A text is built in one turn of the event loop, in about 20 ms for each MiB. */
  textBytes: 4 * 2 ** 20,
  /** Characters of one number in the JSON. */
  numberBytes: 1000,
  /** Values of a body besides the changes or the batch in it. */
  otherValues: 10_000,
  /** Entries of a batch, or changes in JSON. */
  entities: 10_000,
  /** Characters of the documentId of a new document: those of the column in the database of a Strapi. */
  documentId: 255,
  /** Lists of links. */
  links: 100_000,
  /** Links in all lists. */
  targets: 1_000_000,
  /** Id of a new row. After greater ids, those of new rows follow within `idGap`. */
  id: 2 ** 52,
  idGap: 2 ** 24,
} as const;

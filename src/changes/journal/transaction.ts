/** What a journal holds: transactions, and the content to which they are applied. */

/** A change of the content. Plain JSON: `undefined`, NaN and dates do not survive. */
export interface Transaction {
  /** Equals that of the journal's base. */
  readonly epoch: number;
  /** One more than that of the transaction before. The first of a journal follows the sequence of its base. */
  readonly sequence: number;
  /** The version that the changes require, or null. The journal does not read it. */
  readonly previous: string | null;
  /** The journal does not read them. */
  readonly changes: unknown;
  /** The key under which a repeated request gets `answer` again. */
  readonly idempotencyKey?: string;
  readonly answer?: unknown;
}

/** Identifies a content by its epoch and the digest of its version. */
export interface ContentIdentity {
  readonly epoch: number;
  readonly version: string;
}

/** The content to which the transactions of a journal are applied. */
export interface JournalBase extends ContentIdentity {
  /** The last transaction that the content includes. */
  readonly sequence: number;
  /** The name of its image in the folder of the journal (`imageName`). Null for the content given at the start. */
  readonly image: string | null;
}

export function isSameContent(one: ContentIdentity, other: ContentIdentity): boolean {
  return one.epoch === other.epoch && one.version === other.version;
}

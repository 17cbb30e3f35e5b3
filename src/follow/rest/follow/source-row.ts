/** Rows of a source with their relations, as its API shows them. */

/** The other end of a link. */
export interface RowAddress {
  readonly type: string;
  readonly id: number;
}

/** The targets of an entry or one of its components in an attribute that owns its links, in order. */
export interface OwnList {
  /** The type and id of the entry or component. */
  readonly type: string;
  readonly id: number;
  readonly attribute: string;
  readonly targets: readonly ListedTarget[];
}

export interface ListedTarget extends RowAddress {
  /** As in `LinkTarget`. */
  readonly inverse?: string;
}

/** A version of a document: one status and locale. */
export interface SourceRow extends RowAddress {
  readonly documentId: string | null;
  readonly published: boolean;
  /** The data of the entity in a batch. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The own lists of the entry and its components. An attribute without a list has no targets. */
  readonly lists: readonly OwnList[];
  /** By inverse attribute: the ids of the rows that link to this one, in order. */
  readonly sources: ReadonlyMap<string, readonly number[]>;
}

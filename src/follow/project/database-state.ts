import type { ContentState } from '../compare/content-state.ts';
import type { IdTable } from '../compare/id-table.ts';

/** What is kept of a copy of a database to find what a later copy changes. Never changes. */
export interface DatabaseState {
  readonly content: ContentState;
  /** By uid of a content type: when each row was last changed. Types that do not say so are missing. */
  readonly versions: ReadonlyMap<string, TableVersions>;
  /** By uid and name of an owning attribute: a text that differs for other links. Null if it is not known. */
  readonly links: ReadonlyMap<string, string | null>;
  /** By uid of a content type: `entriesDigest` of a copy whose entries are those that are kept. Others are missing. */
  readonly digests: ReadonlyMap<string, string>;
  /** When the copy was made, in milliseconds since 1970. */
  readonly copiedAt: number;
}

export interface TableVersions {
  readonly checksum: string;
  /** By id: milliseconds since 1970, or NaN. */
  readonly changedAt: IdTable;
}

import type { RoleDefinition } from '../access/definitions.ts';
import type { Dialect, DialectName } from '../base/dialect.ts';
import type { SnapshotWarning, Tolerance } from '../base/problems.ts';
import type { WrittenType } from '../model/describe-types.ts';
import type { Allocator } from '../sets/allocator.ts';
import type { Store } from '../store/store.ts';
import type { UploadedFiles } from './strapi/uploaded-files.ts';

/** A snapshot that has been read whole and found good. */
export interface LoadedSnapshot {
  readonly kind: 'json' | 'strapi';
  /** The version of Strapi that wrote the export; null where it does not tell, and for JSON snapshots. */
  readonly strapiVersion: string | null;
  /** The store has what queries of this dialect read. */
  readonly dialect: Dialect;
  readonly store: Store;
  /** The content types and components as they are written, those of administration among them. */
  readonly types: readonly WrittenType[];
  readonly roles: readonly RoleDefinition[];
  /** Whether a user must have confirmed the e-mail address to be let in. */
  readonly emailConfirmation: boolean;
  /**
   * The documentIds of users who may not come in: the attribute that says so may be private, and is then in no store.
   */
  readonly blockedUsers: ReadonlySet<string>;
  /** The uploaded files that come with the snapshot; null if it has none. */
  readonly uploadedFiles: UploadedFiles | null;
  /** The types in words, where they are inferred from data; null where the snapshot says them. */
  readonly inferred: readonly string[] | null;
  /** What was tolerated. */
  readonly warnings: readonly SnapshotWarning[];
}

export interface LoadOptions {
  /** By default a Strapi export is loaded tolerantly, and a JSON snapshot strictly. */
  readonly tolerance?: Tolerance;
  /** Makes the arrays of the store. Default: on the heap. */
  readonly allocator?: Allocator;
  /** Default: `strapi` for a Strapi export, `document` for a JSON snapshot. */
  readonly dialect?: DialectName;
  /** Put in front of the root-relative addresses of files. Filters see what the snapshot holds. */
  readonly mediaUrl?: string;
}

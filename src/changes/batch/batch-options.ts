import type { Dialect } from '../../core/dialect.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { RoleDefinition } from '../../model/access/definitions.ts';
import type { AddressOptions } from '../../store/writer/rows/media-urls.ts';

/** What a batch is validated against, besides the store. */
export interface BatchOptions {
  /** The kind of the snapshot that was loaded: it decides where roles come from. */
  readonly kind: LoadedSnapshot['kind'];
  /** The dialect that the store was built for. */
  readonly dialect: Dialect;
  /** The options that the store was built with. */
  readonly addresses: AddressOptions;
  readonly roles: readonly RoleDefinition[];
  readonly blockedUsers: ReadonlySet<string>;
  /** Names of uploaded files; null: all files of the folder are served. */
  readonly uploadNames: ReadonlySet<string> | null;
  /**
   * The content shows drafts: a reference to a document leads to its entry of the other status, if it has none of the
   * status of the entry that refers to it. Default: false.
   */
  readonly drafts?: boolean;
  /** Whether the content has its users: the setting of this name. Default: true. */
  readonly users?: boolean;
  /** The time of the changes in JSON that have none, in ISO 8601. Default: now. */
  readonly now?: string;
}

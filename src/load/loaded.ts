import type { DatabaseName, Dialect, DialectName, MysqlTables } from '../core/dialect.ts';
import type { Allocator } from '../core/memory/allocator.ts';
import type { SnapshotWarning, Tolerance } from '../core/problems.ts';
import type { ApiToken, RoleDefinition, SignInSecrets } from '../model/access/definitions.ts';
import { userType } from '../model/schema/schema.ts';
import type { SnapshotType } from '../model/schema/type-definition.ts';
import type { ContentVersion } from '../store/content-version.ts';
import { type Store, segmentOf } from '../store/store.ts';
import type { AddressOptions } from '../store/writer/rows/media-urls.ts';
import type { UploadedFiles } from './uploaded-files.ts';

/** A completely loaded and valid snapshot. */
export interface LoadedSnapshot {
  readonly kind: 'json' | 'strapi';
  /** The option, or its default for this kind of snapshot. It also applies to settings that contradict the content. */
  readonly tolerance: Tolerance;
  /** The version of Strapi that wrote the export. Null if the export lacks it, and for JSON snapshots. */
  readonly strapiVersion: string | null;
  /** The dialect that the store was built for. */
  readonly dialect: Dialect;
  readonly store: Store;
  /** The options that the store was built with. */
  readonly addresses: AddressOptions;
  /** The definitions of all content types and components, including those of the admin panel. */
  readonly types: readonly SnapshotType[];
  readonly roles: readonly RoleDefinition[];
  /** Whether users must confirm their e-mail address before they can authenticate. */
  readonly emailConfirmation: boolean;
  /** documentIds of blocked users. The store does not hold `blocked` if the attribute is private. */
  readonly blockedUsers: ReadonlySet<string>;
  /** The API tokens of the Strapi, if the source holds them. They are accepted if `secrets` has their salt. */
  readonly apiTokens?: readonly ApiToken[];
  /** The secrets of the Strapi, if the source holds them. An image does not. */
  readonly secrets?: SignInSecrets | null;
  /** The uploaded files of the snapshot, or null if it has none. */
  readonly uploadedFiles: UploadedFiles | null;
  /** Whether it was read from a Strapi, which keeps the name of an uploaded file when it replaces it. Default: false. */
  readonly replacesFiles?: boolean;
  /** Descriptions of the inferred types. Null if the snapshot defines its types. */
  readonly inferred: readonly string[] | null;
  /** Tolerated mistakes. */
  readonly warnings: readonly SnapshotWarning[];
  /**
   * The version of this content, in all threads and processes that serve it. An image of served content has it. Default: the
   * first of a new epoch.
   */
  readonly version?: ContentVersion;
  /** What its source serves in place of it. Default: nothing. */
  readonly pinned?: PinnedImage | null;
}

/** The version that is served in place of a later one, as an image. */
export interface PinnedImage {
  readonly version: ContentVersion;
  /** Of its content. */
  readonly digest: string;
  readonly path: string;
}

/** A snapshot that is served or was. */
export type VersionedSnapshot = LoadedSnapshot & { readonly version: ContentVersion };

/** What identifies callers besides the users, and what a source changes without changing its content. */
export type LoadedAccess = Pick<LoadedSnapshot, 'apiTokens' | 'secrets' | 'emailConfirmation'>;

/**
 * Hand-written snapshots load strictly by default, so that their authors see mistakes, and exports tolerantly, because
 * Strapi already runs with their mistakes.
 */
export function defaultTolerance(kind: LoadedSnapshot['kind']): Tolerance {
  return kind === 'json' ? 'strict' : 'tolerant';
}

export interface LoadOptions extends AddressOptions {
  /**
   * Default: `defaultTolerance` of the kind of snapshot. The content of an image was judged when it was built: its
   * warnings are errors only if this is `strict`.
   */
  readonly tolerance?: Tolerance;
  /** Makes the arrays of the store. Default: on the heap. */
  readonly allocator?: Allocator;
  /** Default: `strapi` for a Strapi export, `document` for a JSON snapshot, and for an image that it was built for. */
  readonly dialect?: DialectName;
  /** Default: the database that the content is read from, that of an image, and `postgres` for all else. */
  readonly database?: DatabaseName;
  /** For rules of MySQL: what decides in place of what the content says of its tables. */
  readonly mysql?: MysqlTables;
  /** Attributes whose search indexes are built with the store: the setting of this name. Default: none. */
  readonly search?: readonly string[];
  /** Whether the content has its users: the setting of this name. Default: true. */
  readonly users?: boolean;
  /** Whether the source is an image that the header of our own journal names: its checksums are enough. Default: false. */
  readonly isOwnImage?: boolean;
}

/** The options of a load that can be sent to a thread. */
export type LoadSettings = Omit<LoadOptions, 'allocator'>;

/** Returns what decides what a load makes of a snapshot. */
export function loadSettingsOf(options: LoadSettings): LoadSettings {
  const { tolerance, dialect, database, mysql, mediaUrl, uploadsOrigins, search, users, isOwnImage } = options;
  return { tolerance, dialect, database, mysql, mediaUrl, uploadsOrigins, search, users, isOwnImage };
}

/** Whether the setting `users` leaves out the entries of a type, and links from and to them. */
export function isLeftOut(uid: unknown, { users = true }: Pick<LoadOptions, 'users'>): boolean {
  return !users && uid === userType;
}

/** Returns how many users a store holds, deleted ones among them. */
export function countUsers(store: Store): number {
  return store.schema.types.has(userType) ? segmentOf(store, userType).rowCount : 0;
}

/** Returns the options that a loaded snapshot keeps. */
export function addressesOf({ mediaUrl, uploadsOrigins = [] }: AddressOptions): AddressOptions {
  return { mediaUrl, uploadsOrigins };
}

import type { DialectName } from '../../core/dialect.ts';
import type { SnapshotWarning } from '../../core/problems.ts';
import type { RoleDefinition } from '../../model/access/definitions.ts';
import type { ApiToken } from '../../model/access/sign-in.ts';
import type { SnapshotType } from '../../model/schema/type-definition.ts';
import type { Store } from '../../store/store.ts';

/** What an image holds: a store, and what a start needs besides. */
export interface ImageContent {
  readonly store: Store;
  readonly facts: ImageFacts;
  /** The definitions of all content types and components. */
  readonly types: readonly SnapshotType[];
  readonly notices: ImageNotices;
}

export interface ImageFacts {
  /** The kind of snapshot that the image was built from. */
  readonly kind: 'json' | 'strapi';
  readonly strapiVersion: string | null;
  /** The dialect that the store was built for. */
  readonly dialect: DialectName;
  /** The setting that the addresses of media files in replies begin with; null without one. */
  readonly mediaUrl: string | null;
  /** The setting by which addresses in texts were rewritten, sorted. Absent without any, and in older images. */
  readonly uploadsOrigins?: readonly string[];
  readonly roles: readonly RoleDefinition[];
  readonly emailConfirmation: boolean;
  /** documentIds, sorted. */
  readonly blockedUsers: readonly string[];
  /** Of no use without their salt, which no image holds. Absent without any, and in older images. */
  readonly apiTokens?: readonly ApiToken[];
  /** File names, sorted; `all` for every file of a folder; null without files. */
  readonly uploads: readonly string[] | 'all' | null;
}

/** What is printed at a start and decides nothing. */
export interface ImageNotices {
  readonly inferred: readonly string[] | null;
  readonly warnings: readonly SnapshotWarning[];
}

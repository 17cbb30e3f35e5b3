/**
 * Sources whose content changes by itself: the folder of a Strapi project, its database, the REST API of a Strapi, or a
 * publication.
 */
import type { Batch } from '../changes/batch/batch.ts';
import type { LoggedChange } from '../changes/log/logged-change.ts';
import { SnapshotError } from '../core/errors.ts';
import type { LoadedAccess, LoadedSnapshot, LoadOptions, PinnedImage } from '../load/loaded.ts';
import type { ThreadOptions } from '../load/thread/described-snapshot.ts';
import type { ReplySettings } from '../model/settings/reply-settings.ts';
import type { ReplicaSettings } from './publication/replica-needs.ts';

/** Where content comes from, as plain data: it is sent to the thread that reads it. */
export type Source = StrapiSource | PublicationSource;

export type StrapiSource = ProjectSource | DatabaseSource | RestSource;

interface CommonSource {
  /** Seconds between two comparisons of everything that has a time of change, for changes without a signal. */
  readonly compareSeconds: number;
}

interface WithDatabase extends CommonSource {
  /** The most seconds between two looks at a database on a server. Default: it is looked at ten times a second. */
  readonly lookSeconds?: number;
}

/** The folder of a Strapi project, with its database. */
export interface ProjectSource extends WithDatabase {
  readonly kind: 'project';
  readonly folder: string;
}

/** The database that the environment variable DATABASE_URL names, without the folder of its project. */
export interface DatabaseSource extends WithDatabase {
  readonly kind: 'database';
  /** What has the components: the folder of a project, an export, or the address of a Strapi. */
  readonly types: string;
  /** The API token with which an address is read. Null: requests have no token. */
  readonly token: string | null;
}

/** A Strapi's REST API. */
export interface RestSource extends CommonSource {
  readonly kind: 'rest';
  readonly url: string;
  /** Null: requests have no token. */
  readonly token: string | null;
  /** The secret of `strapi-plugin-lectern`, whose route is read if it is there. Null: the REST API alone is read. */
  readonly secret: string | null;
  /** An export or a project that has the content types. Null: they are read from the Strapi. */
  readonly types: string | null;
  /** The setting `cacheDir`, for what is pulled. Undefined: the temporary folder. */
  readonly cacheDir: string | undefined;
}

/** What a publisher has published under a name. */
export interface PublicationSource {
  readonly kind: 'publication';
  /** The address of the Redis, or of the folder. */
  readonly to: string;
  readonly name: string;
  /** The setting `images`. */
  readonly images: string | undefined;
  /** The setting `cacheDir`, for images. Undefined: the temporary folder. */
  readonly cacheDir: string | undefined;
  /** The setting `drafts`, which decides about changes. */
  readonly drafts: boolean;
  /** The setting `users`. A replica without users refuses those of its publisher. */
  readonly users: boolean;
  readonly settings: ReplySettings;
  readonly has: ReplicaSettings;
}

/**
 * Reads a source, in a thread of its own, so that it may use the processor as long as it needs. All times are in
 * milliseconds since 1970.
 */
export interface SourceReader {
  /**
   * Reads everything: one consistent state of the source. `next` returns the changes since then. The memory of the result
   * is moved to another thread, so the reader keeps none of its arrays. After a rejection with a SnapshotError, it can be
   * called again. Must not be called during a call of `next`.
   */
  load(options: LoadOptions): Promise<LoadedSnapshot>;
  /**
   * Resolves when the source has changed since the last result of this function or of `load`. Waits as long as it takes.
   * Rejects with a SnapshotError if the source cannot be read; the next call tries again, after a delay of its caller.
   * Must not be called before `load`, nor twice at once. A batch that is refused is followed by a call of `load`.
   */
  next(): Promise<SourceChange>;
  /**
   * Says that something may have changed, so that the source is read soon. `body` is that of a webhook of Strapi, or a
   * `PluginPost`.
   */
  hint(body?: unknown): void;
  /**
   * Called after `load` or `next` has failed: resolves to true when a file of the source changes. Resolves to false at the
   * next call of another function. Readers without files have no such function.
   */
  fileChange?(): Promise<boolean>;
  /** Ends a call of `load` or `next`, which rejects. The reader is not used any more. To read again, another is made. */
  close(): Promise<void>;
}

interface ReadChange {
  /** When the source was read. */
  readonly readAt: number;
  /** When the source was changed, where that is known: the first of the changes. */
  readonly changedAt?: number;
  /** A mistake in the source, for the log. */
  readonly warning?: string;
}

/** `reason` is a clause for the log. */
export type SourceChange = ReadChange &
  (
    | /** Leads from the state before to the present one. */ {
        readonly kind: 'batch';
        readonly batch: Batch;
        readonly reason?: string;
      }
    /** Changes of a log that follow each other and the state before, one at least. */
    | { readonly kind: 'changes'; readonly changes: readonly LoggedChange[]; readonly reason?: string }
    /** Tokens or secrets have changed. The content has not been compared yet. */
    | { readonly kind: 'access'; readonly access: LoadedAccess; readonly reason: string }
    /** Another version is served in place of the latest one, or none. */
    | { readonly kind: 'pin'; readonly pinned: PinnedImage | null; readonly reason: string }
    /** No batch leads to the present state: the schema has changed, or too many rows. Call `load`. */
    | { readonly kind: 'reload'; readonly reason: string }
  );

/**
 * Called by a reader each time it has found the source equal to the content that it has returned. `isStandby`: the database is
 * a copy of another one, which it may lag behind.
 */
export type OnUnchanged = (readAt: number, isStandby?: boolean) => void;

/**
 * Called by a reader when tokens or secrets change while it loads everything. The load returns the latest access. Readers of
 * sources without tokens never call it.
 */
export type OnAccess = (access: LoadedAccess) => void;

/** Called by a reader with a sentence for the log, such as a risk that only the source can remove. */
export type OnWarning = (message: string) => void;

/** Reads a source over and over, with one `SourceReader` after the other. */
export interface SourceReading {
  /** Reads everything, as `SourceReader.load` does. */
  load(options: ThreadOptions): Promise<LoadedSnapshot>;
  /** As `SourceReader.next`. Rejects with a `ReaderGone` if the reader has no state any more: `load` makes another. */
  next(): Promise<SourceChange>;
  hint(body?: unknown): void;
  /** Ends calls in progress, which reject. Then the source can be loaded again. */
  reset(): Promise<void>;
  /** Ends calls in progress, which reject, for good. */
  close(): Promise<void>;
}

/** Events of a `SourceReading`. */
export interface ReadingEvents {
  /** As `OnUnchanged`. */
  unchanged(readAt: number, isStandby?: boolean): void;
  /** As `OnAccess`. */
  access(access: LoadedAccess): void;
  /** As `OnWarning`. */
  warned(message: string): void;
  /** A file of a source that has failed has changed. */
  signOfLife(): void;
}

/** The reader of a source has ended, and with it the state that it compares with. */
export class ReaderGone extends SnapshotError {}

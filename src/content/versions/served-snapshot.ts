import type { Batch } from '../../changes/batch/batch.ts';
import type { Steps } from '../../core/steps.ts';
import type { CacheStatistics } from '../../engine/caches/byte-bounded-cache.ts';
import type { Catalog } from '../../engine/catalog.ts';
import { Codings } from '../../http/codings.ts';
import type { Unpack } from '../../http/files/open-uploads.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { type ContentVersion, nextVersion } from '../../store/content-version.ts';
import { storeBytes } from '../../store/own-bytes.ts';
import type { Store } from '../../store/store.ts';
import {
  type ActiveSnapshot,
  activateSnapshot,
  type ContentConfiguration,
  isSameSnapshot,
  rebaseSnapshot,
  withAccess,
} from './active-snapshot.ts';
import type { CompactedSnapshot } from './change-feed.ts';
import {
  commitChange,
  filesAfterChanges,
  type PreparedChange,
  prepareBatchInSteps,
  prepareJsonInSteps,
  prepareReadBatchInSteps,
} from './change-loaded.ts';
import {
  type Compacted,
  type CompactionFigures,
  type CompactionParts,
  Compactions,
  defaultLimits,
} from './compactions.ts';
import { ContentUploads } from './content-uploads.ts';
import type { ContentSummary } from './summary.ts';
import { VersionHistory, versionCount } from './version-history.ts';

/** How content is served, besides its snapshot and settings. */
export interface ServingParts {
  /** Unpacks the uploaded files of an archive. Default: in this thread. */
  readonly unpack?: Unpack;
  /** Compactions. Default: in threads of their own, each when there are many changes. */
  readonly compactions?: CompactionParts;
  /** The catalog of other content with equal settings, if its schema is the same: it shares prepared queries. */
  readonly catalog?: Catalog;
  /** The store as requests read it. Default: computed at once. */
  readonly shown?: Store;
  /** How many versions are kept, with the latest one. Default: 10. */
  readonly versionCount?: number;
  /** Called with the bytes of a base that no version uses any more. */
  readonly onReleased?: (bytes: number) => void;
}

/** The snapshot that a content serves. Replaces, changes and compacts it. */
export class ServedSnapshot implements Compacted {
  /** Compresses replies over HTTP. Null if compression is off. */
  readonly codings: Codings | null;
  readonly uploads: ContentUploads;
  readonly versions: VersionHistory;
  /** With `cacheBytes` less the quarter for compressed replies. */
  readonly #configuration: ContentConfiguration;
  readonly #compressedBytes: number;
  readonly #compactions: Compactions;

  /** `started` is when loading began, as `performance.now()` counts. Throws as `check` does. */
  constructor(
    loaded: LoadedSnapshot,
    configuration: ContentConfiguration,
    started: number,
    { unpack, compactions, catalog, shown, versionCount: count = versionCount, onReleased = () => {} }: ServingParts,
  ) {
    const { compression, cacheBytes } = configuration.settings;
    this.#compressedBytes = compression ? Math.floor(cacheBytes / 4) : 0;
    this.codings = compression ? new Codings(this.#compressedBytes) : null;
    const settings = { ...configuration.settings, cacheBytes: cacheBytes - this.#compressedBytes };
    this.#configuration = { ...configuration, settings };
    const active = activateSnapshot(loaded, this.#configuration, started, catalog ?? null, shown);
    const limits = { count, earlierBytes: settings.earlierBytes, onReleased };
    this.versions = new VersionHistory(active, limits, (kept) => this.#activate(kept, performance.now()));
    this.uploads = new ContentUploads(settings, unpack, loaded, active.summary);
    this.#compactions = new Compactions(this, { limits: defaultLimits, ...compactions });
  }

  /** The version that is served. */
  get active(): ActiveSnapshot {
    return this.versions.active;
  }

  /** The version that changes are made to. */
  get latest(): ActiveSnapshot {
    return this.versions.latest;
  }

  /** The latest version. */
  get loaded(): LoadedSnapshot {
    return this.latest.loaded;
  }

  get settings(): ContentConfiguration['settings'] {
    return this.#configuration.settings;
  }

  /** The summary of the version that is served. */
  get summary(): ContentSummary {
    return this.active.summary;
  }

  /** The latest version. */
  get version(): ContentVersion {
    return this.latest.engine.version;
  }

  /** The version after the next batch. */
  get nextVersion(): ContentVersion {
    return nextVersion(this.version);
  }

  /** The version of the latest snapshot without changes. */
  get base(): ContentVersion {
    return this.latest.base;
  }

  /**
   * Serves another snapshot from now on, with its uploaded files. Returns false if it equals the one that is served,
   * or is of the epoch that is served, which then stays with its changes and caches; only its uploaded files, and what
   * identifies callers, may be others. Requests in progress end on the snapshot that they began with. Prepared queries
   * survive if the schema is the same. Throws a ConfigError if the settings contradict the snapshot; the content then
   * stays as it is. With `isForced`, an equal snapshot of another epoch is served, too.
   */
  replace(loaded: LoadedSnapshot, started = performance.now(), isForced = false): boolean {
    const { loaded: served, base, summary } = this.latest;
    const isNew = loaded.version?.epoch !== base.epoch && (isForced || !isSameSnapshot(loaded, served));
    if (isNew) {
      this.versions.load(this.#activate(loaded, started));
      this.#compactions.abandon();
    } else {
      summary.loadedAt = new Date().toISOString();
      this.versions.replaceFiles(filesAfterChanges(loaded.uploadedFiles, served.uploadedFiles));
      this.versions.replaceAccess(withAccess(this.latest, loaded, this.#configuration.settings));
    }
    this.#replaceUploads();
    if (isNew) this.versions.publish(null);
    return isNew;
  }

  /** Throws a ConfigError if the settings contradict the snapshot. */
  check(loaded: LoadedSnapshot): void {
    this.#activate(loaded, performance.now());
  }

  /** Validates a batch and returns it for `commitInSteps`. Changes nothing. Throws a SnapshotError that lists the errors. */
  prepareInSteps(batch: unknown): Steps<PreparedChange> {
    return prepareBatchInSteps(this.latest, batch, this.#configuration);
  }

  /** As `prepareInSteps`, for a batch whose form was validated, such as a batch that another thread prepared. */
  prepareReadInSteps(batch: Batch): Steps<PreparedChange> {
    return prepareReadBatchInSteps(this.latest, batch, this.#configuration);
  }

  /** As `prepareInSteps`, for a list of changes in JSON, as `POST /_changes` takes them. */
  prepareJsonInSteps(changes: unknown): Steps<PreparedChange> {
    return prepareJsonInSteps(this.latest, changes, this.#configuration);
  }

  /**
   * Makes a batch visible, in the last step. Prepares it again before that if another batch was applied, or the content
   * compacted, meanwhile.
   */
  *commitInSteps(prepared: PreparedChange): Steps<void> {
    let current = prepared;
    while (current.from !== this.latest) current = yield* this.prepareReadInSteps(current.batch);
    const { active, stale } = commitChange(current, this.#configuration.settings);
    this.versions.change(active, current.batch.entities.length, current.replacedBytes);
    this.#replaceUploads();
    this.versions.publish(stale);
    this.#compactions.applied(current.batch);
  }

  /** As `Content.compact`. */
  compact(): Promise<void> {
    return this.#compactions.run();
  }

  get isCompacting(): boolean {
    return this.#compactions.isRunning;
  }

  /** How compactions ended, and how long the last one took. */
  get compactionFigures(): CompactionFigures {
    return this.#compactions.figures;
  }

  /** Serves the same content from another store. Throws an Error if that has other content. */
  rebase(store: Store): void {
    const { contentDigest } = this.loaded.store;
    if (store.contentDigest !== contentDigest) {
      throw new Error(`after the same batches, the compacted store is ${store.contentDigest}, not ${contentDigest}`);
    }
    this.versions.rebase(rebaseSnapshot(this.latest, store, this.#configuration.settings));
  }

  compacted(snapshot: CompactedSnapshot): void {
    this.versions.changes.compacted(snapshot);
  }

  /**
   * Uses this part of `cacheBytes`, `derivedBytes` and of prepared queries from now on, from 0 to 1. Evicts what was
   * used least recently.
   */
  takeShare(share: number): void {
    if (this.versions.takeShare(share)) this.codings?.resize(Math.floor(this.#compressedBytes * share));
  }

  /** Use and size of the caches. */
  get cacheFigures(): Record<string, CacheStatistics> {
    const figures = this.active.engine.cacheFigures;
    return this.codings ? { ...figures, compressed: this.codings.figures } : figures;
  }

  /** Bytes of the latest store, without what is derived from it. */
  get storeBytes(): number {
    return storeBytes(this.loaded.store);
  }

  /** Removes unpacked files when the requests for them have ended. To be called when nothing is served any more. */
  async close(): Promise<void> {
    this.#compactions.abandon();
    await this.uploads.served?.release();
  }

  #activate(loaded: LoadedSnapshot, started: number): ActiveSnapshot {
    return activateSnapshot(loaded, this.#configuration, started, this.latest.engine.catalog);
  }

  #replaceUploads(): void {
    this.uploads.replace(this.latest.loaded.uploadedFiles, this.latest.summary);
  }
}

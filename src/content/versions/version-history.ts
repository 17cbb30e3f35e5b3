import type { Batch } from '../../changes/batch/batch.ts';
import type { CacheStatistics } from '../../core/byte-bounded-cache.ts';
import { runAtOnce, type Steps } from '../../core/steps.ts';
import { warnOfError } from '../../core/warn-of-error.ts';
import type { Catalog } from '../../engine/catalog.ts';
import { Codings } from '../../http/codings.ts';
import type { Unpack } from '../../http/files/open-uploads.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { type ContentVersion, nextVersion, versionText } from '../../store/content-version.ts';
import { storeBytes } from '../../store/own-bytes.ts';
import type { Store } from '../../store/store.ts';
import { ChangeFeed, type CompactedSnapshot, type StaleParts } from './change-feed.ts';
import { filesAfterChanges } from './change-loaded.ts';
import {
  type Compacted,
  type CompactionFigures,
  type CompactionParts,
  Compactions,
  defaultLimits,
} from './compactions.ts';
import { ContentUploads } from './content-uploads.ts';
import { type KeptVersion, KeptVersions, type RecentVersion } from './kept-versions.ts';
import {
  commitChange,
  type MadeChange,
  type NextSnapshot,
  type PreparedChange,
  prepareBatchInSteps,
  prepareJsonInSteps,
  prepareMadeInSteps,
  prepareReadBatchInSteps,
} from './prepared-change.ts';
import type { ContentSummary } from './summary.ts';
import {
  type ContentConfiguration,
  isSameSnapshot,
  prepareVersion,
  rebaseVersion,
  shownStoreInSteps,
  type Version,
  withAccess,
  withAccessOf,
} from './version.ts';

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
  /** How many versions are kept, with the latest one. Versions with the same base share it. Default: 10. */
  readonly versionCount?: number;
  /** Called with the bytes of a base that no version uses any more. */
  readonly onReleased?: (bytes: number) => void;
}

/** The version that is served in place of the latest one. */
export interface PinnedVersion {
  /** As in the header `X-Lectern-Version`. */
  readonly version: string;
  /** Since when it is pinned, as ISO 8601. */
  readonly since: string;
}

interface Pin {
  readonly version: Version;
  readonly since: string;
}

/**
 * The last versions of a content. The latest is replaced by loaded snapshots, changed by batches and compacted. The
 * latest or a pinned one is served.
 */
export class VersionHistory implements Compacted {
  /** Tells listeners about changes of what is served. */
  readonly changes = new ChangeFeed();
  /** Compresses replies over HTTP. Null if compression is off. */
  readonly codings: Codings | null;
  readonly uploads: ContentUploads;
  /** With `cacheBytes` less the quarter for compressed replies. */
  readonly #configuration: ContentConfiguration;
  readonly #compressedBytes: number;
  readonly #compactions: Compactions;
  readonly #kept: KeptVersions;
  readonly #onReleased: (bytes: number) => void;
  #latest: Version;
  /** Null if the latest version is served. */
  #pin: Pin | null = null;
  /** The part of the memory for caches that may be used, from 0 to 1. */
  #share = 1;

  /** `started` is when loading began, as `performance.now()` counts. Throws as `check` does. */
  constructor(
    loaded: LoadedSnapshot,
    configuration: ContentConfiguration,
    started: number,
    { unpack, compactions, catalog, shown, versionCount: count = 10, onReleased = () => {} }: ServingParts,
  ) {
    const { compression, cacheBytes } = configuration.settings;
    this.#compressedBytes = compression ? Math.floor(cacheBytes / 4) : 0;
    this.codings = compression ? new Codings(this.#compressedBytes) : null;
    const settings = { ...configuration.settings, cacheBytes: cacheBytes - this.#compressedBytes };
    this.#configuration = { ...configuration, settings };
    const shownStore = shown ?? runAtOnce(shownStoreInSteps(loaded.store, settings));
    this.#latest = prepareVersion(loaded, this.#configuration, started, catalog ?? null, shownStore);
    this.#kept = new KeptVersions(this.#latest, { count, earlierBytes: settings.earlierBytes, onReleased });
    this.#onReleased = onReleased;
    this.uploads = new ContentUploads(settings, unpack, loaded, this.#latest.summary);
    this.#compactions = new Compactions(this, { limits: defaultLimits, ...compactions });
  }

  /** The version that changes are made to. */
  get latest(): Version {
    return this.#latest;
  }

  /** The version that is served. */
  get active(): Version {
    return this.#pin?.version ?? this.#latest;
  }

  /** The snapshot of the latest version. */
  get loaded(): LoadedSnapshot {
    return this.#latest.loaded;
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
    return this.#latest.engine.version;
  }

  /** The version after the next batch. */
  get nextVersion(): ContentVersion {
    return nextVersion(this.version);
  }

  /** The versions that can be pinned, the latest first. */
  get recent(): RecentVersion[] {
    return this.#kept.recent;
  }

  /** Bytes that the versions do not share with the latest one. */
  get earlierBytes(): number {
    return this.#kept.earlierBytes;
  }

  /** Null if the latest version is served. */
  get pinned(): PinnedVersion | null {
    return this.#pin && { version: versionText(this.#pin.version.engine.version), since: this.#pin.since };
  }

  /**
   * Serves another snapshot from the last step on, with its uploaded files. Returns false if it equals the latest
   * version or is of the same epoch, which then stays with its changes and caches. Only its uploaded files, and what
   * identifies callers, may be others. Requests in progress end on the version that they began with. Prepared queries
   * survive if the schema is the same. Throws a ConfigError if the settings contradict the snapshot; the content then
   * stays as it is. With `isForced`, an equal snapshot of another epoch is served, too.
   */
  *replaceInSteps(loaded: LoadedSnapshot, started = performance.now(), isForced = false): Steps<boolean> {
    const { loaded: served, base, summary } = this.#latest;
    const isNew = loaded.version?.epoch !== base.epoch && (isForced || !isSameSnapshot(loaded, served));
    if (isNew) this.replaceBy(yield* this.prepareSnapshotInSteps(loaded, started));
    else {
      summary.loadedAt = new Date().toISOString();
      const uploadedFiles = filesAfterChanges(loaded.uploadedFiles, served.uploadedFiles);
      const latest = { ...this.#latest, loaded: { ...served, uploadedFiles } };
      this.#identifyBy(withAccess(latest, loaded, this.settings));
      this.#replaceUploads();
    }
    return isNew;
  }

  /** As `replaceInSteps`, at once. */
  replace(loaded: LoadedSnapshot): boolean {
    return runAtOnce(this.replaceInSteps(loaded));
  }

  /** Prepares a snapshot for `replaceBy`. Changes nothing. Throws a ConfigError if the settings contradict the snapshot. */
  *prepareSnapshotInSteps(loaded: LoadedSnapshot, started: number): Steps<Version> {
    const shown = yield* shownStoreInSteps(loaded.store, this.settings);
    return prepareVersion(loaded, this.#configuration, started, this.#latest.engine.catalog, shown);
  }

  /** Serves a snapshot of another epoch, with its uploaded files. */
  replaceBy(latest: Version): void {
    if (this.#share < 1) latest.engine.takeShare(this.#share);
    this.#kept.addLoaded(latest);
    this.#identifyBy(latest);
    this.#compactions.abandon();
    this.#replaceUploads();
    this.#publish(null);
  }

  /** Validates a batch and returns it for `commitInSteps`. Changes nothing. Throws a SnapshotError that lists the errors. */
  prepareInSteps(batch: unknown): Steps<PreparedChange> {
    return prepareBatchInSteps(this.#latest, batch, this.#configuration);
  }

  /** As `prepareInSteps`, for a batch whose form was validated. */
  prepareReadInSteps(batch: Batch): Steps<PreparedChange> {
    return prepareReadBatchInSteps(this.#latest, batch, this.#configuration);
  }

  /** As `prepareInSteps`, for a list of changes in JSON, as `POST /_changes` takes them. */
  prepareJsonInSteps(changes: unknown): Steps<PreparedChange> {
    return prepareJsonInSteps(this.#latest, changes, this.#configuration);
  }

  /**
   * Makes a batch visible, in the last step. Prepares it again before that if another batch was applied, or the content
   * compacted, meanwhile. Returns the change that was made. If it throws, the batch is not visible.
   */
  *commitInSteps(prepared: PreparedChange): Steps<PreparedChange> {
    let current = prepared;
    while (current.from !== this.#latest) current = yield* this.prepareReadInSteps(current.batch);
    this.#commit(current, current.batch.entities.length, current.replacedBytes);
    warnOfError(() => this.#compactions.applied(current.changes));
    return current;
  }

  /**
   * Makes a change visible, in the last step, that another thread has made to the same content. Throws an Error if the
   * content is another one, or changes meanwhile.
   */
  *repeatInSteps(change: MadeChange): Steps<void> {
    const next = yield* prepareMadeInSteps(this.#latest, change, this.#configuration);
    if (next.from !== this.#latest) throw new Error(`the content has changed while ${change.version} was applied`);
    // the coordinating thread counts the bytes of earlier versions
    this.#commit(next, change.changed, 0);
  }

  #commit(next: NextSnapshot, changed: number, replacedBytes: number): void {
    const { catalog } = this.#latest.engine;
    const { after, stale } = commitChange(next, this.settings);
    // a new catalog has caches of its own
    if (this.#share < 1 && after.engine.catalog !== catalog) after.engine.takeShare(this.#share);
    this.#latest = after;
    // readers see the batch from here on, so that no error may make it fail
    warnOfError(() => this.#kept.addChanged(after, changed, replacedBytes));
    warnOfError(() => this.#replaceUploads());
    warnOfError(() => this.#publish(stale));
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

  /**
   * Serves the latest version from another store, which requests read as `shown`. Throws an Error if it has other
   * content.
   */
  rebase(store: Store, shown: Store): void {
    const { contentDigest } = this.loaded.store;
    if (store.contentDigest !== contentDigest) {
      throw new Error(`after the same batches, the compacted store is ${store.contentDigest}, not ${contentDigest}`);
    }
    const before = this.#latest.engine.store;
    this.#latest = rebaseVersion(this.#latest, store, shown);
    this.#kept.rebase(this.#latest);
    if (!this.#pin) this.changes.rebase({ before, after: this.#latest.engine.store });
  }

  compacted(snapshot: CompactedSnapshot): void {
    this.changes.compacted(snapshot);
  }

  /** As `Content.pin`, from the last step on. */
  *pinInSteps(version: string): Steps<void> {
    if (version !== this.pinned?.version) yield* this.#holdInSteps(this.#kept.find(version));
  }

  /** As `pinInSteps`, for a version that need not be among `recent`. The snapshot has its version. */
  holdInSteps(loaded: LoadedSnapshot): Steps<void> {
    return this.#holdInSteps({ loaded });
  }

  /** As `Content.unpin`. */
  unpin(): void {
    if (this.#pin) this.#serve(null);
  }

  /**
   * Uses this part of `cacheBytes`, `derivedBytes` and of prepared queries from now on, from 0 to 1. Evicts what was
   * used least recently.
   */
  takeShare(share: number): void {
    if (share === this.#share) return;
    this.#share = share;
    this.active.engine.takeShare(share);
    this.codings?.resize(Math.floor(this.#compressedBytes * share));
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

  #replaceUploads(): void {
    this.uploads.replace(this.#latest.loaded.uploadedFiles, this.#latest.summary);
  }

  /** Serves `latest`. Its tokens and secrets identify the callers of a pinned version, too. */
  #identifyBy(latest: Version): void {
    this.#latest = latest;
    if (this.#pin) this.#pin = { ...this.#pin, version: withAccessOf(this.#pin.version, latest) };
  }

  /** Tells listeners that the latest version is served, unless another one is pinned. */
  #publish(stale: StaleParts | null): void {
    if (!this.#pin) this.changes.publish({ version: versionText(this.version), stale });
  }

  *#holdInSteps({ loaded, summary }: Pick<KeptVersion, 'loaded'> & Partial<KeptVersion>): Steps<void> {
    const prepared = yield* this.prepareSnapshotInSteps(loaded, performance.now());
    const held = withAccessOf(prepared, this.#latest);
    const version = { ...held, summary: summary ?? held.summary };
    // its caches are not used any more, and would be stale when it is served again
    this.#latest.engine.releaseMemory();
    this.#serve({ version, since: new Date().toISOString() });
  }

  #serve(pin: Pin | null): void {
    const before = this.active;
    if (this.#pin) this.#onReleased(storeBytes(this.#pin.version.loaded.store));
    this.#pin = pin;
    const after = this.active;
    after.engine.takeShare(this.#share);
    const version = versionText(after.engine.version);
    if (version !== versionText(before.engine.version)) this.changes.publish({ version, stale: null });
    else if (before.loaded.store !== after.loaded.store) {
      // it was compacted while it was pinned
      this.changes.rebase({ before: before.engine.store, after: after.engine.store });
    }
  }
}

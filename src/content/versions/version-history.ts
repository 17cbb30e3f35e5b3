import type { Batch } from '../../changes/batch/batch.ts';
import { joinGivenInSteps } from '../../changes/batch/join-batches.ts';
import type { CacheStatistics } from '../../core/byte-bounded-cache.ts';
import { runAtOnce, type Steps } from '../../core/steps.ts';
import { warnOfError } from '../../core/warn-of-error.ts';
import type { Catalog } from '../../engine/catalog.ts';
import type { Unpack } from '../../http/files/open-uploads.ts';
import type { LoadedSnapshot, VersionedSnapshot } from '../../load/loaded.ts';
import { type ContentVersion, isLater, versionText } from '../../store/content-version.ts';
import { storeBytes } from '../../store/own-bytes.ts';
import type { Store } from '../../store/store.ts';
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
  type ChangeForm,
  commitChange,
  type MadeChange,
  type NextSnapshot,
  type PreparedChange,
  prepareChangeInSteps,
  prepareMadeInSteps,
  prepareReadBatchInSteps,
} from './prepared-change.ts';
import { type PinnedVersion, ServedVersion } from './served-version.ts';
import type { ContentSummary } from './summary.ts';
import {
  type ContentConfiguration,
  isSameContent,
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

function withoutVersion({ version, ...loaded }: LoadedSnapshot): LoadedSnapshot {
  return loaded;
}

/** The last versions of a content. The latest is replaced by loaded snapshots, changed by batches and compacted. */
export class VersionHistory implements Compacted {
  readonly served: ServedVersion;
  readonly uploads: ContentUploads;
  readonly compactions: Compactions;
  /** With `cacheBytes` less the quarter for compressed replies. */
  readonly #configuration: ContentConfiguration;
  readonly #kept: KeptVersions;

  /** `started` is when loading began, as `performance.now()` counts. Throws as `check` does. */
  constructor(
    loaded: LoadedSnapshot,
    configuration: ContentConfiguration,
    started: number,
    { unpack, compactions, catalog, shown, versionCount: count = 10, onReleased = () => {} }: ServingParts,
  ) {
    const { compression, cacheBytes } = configuration.settings;
    const compressedBytes = compression ? Math.floor(cacheBytes / 4) : null;
    const settings = { ...configuration.settings, cacheBytes: cacheBytes - (compressedBytes ?? 0) };
    this.#configuration = { ...configuration, settings };
    const shownStore = shown ?? runAtOnce(shownStoreInSteps(loaded.store, settings));
    const latest = prepareVersion(loaded, this.#configuration, started, catalog ?? null, shownStore);
    this.served = new ServedVersion(latest, compressedBytes, onReleased);
    this.#kept = new KeptVersions(latest, { count, earlierBytes: settings.earlierBytes, onReleased });
    this.uploads = new ContentUploads(settings, unpack, loaded, latest.summary);
    this.compactions = new Compactions(this, { limits: defaultLimits, ...compactions });
  }

  /** The version that changes are made to. */
  get latest(): Version {
    return this.served.latest;
  }

  /** The version that is served. */
  get active(): Version {
    return this.served.active;
  }

  /** The snapshot of the latest version. */
  get loaded(): VersionedSnapshot {
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
    return this.loaded.version;
  }

  /** The versions that can be pinned, the latest first. */
  get recent(): RecentVersion[] {
    return this.#kept.recent;
  }

  /** Returns one of the last versions by its name, if it is kept: the one that `pinInSteps` serves. */
  kept(version: string): KeptVersion | undefined {
    return this.#kept.get(version);
  }

  /** As `kept`. Throws a RequestError that lists the versions if it is not kept. */
  find(version: string): KeptVersion {
    return this.#kept.find(version);
  }

  /** Bytes that the versions do not share with the latest one. */
  get earlierBytes(): number {
    return this.#kept.earlierBytes;
  }

  /**
   * Serves another snapshot from the last step on, with its uploaded files. Returns false if it equals the latest version,
   * which then stays as in `keepLatest`. A snapshot goes on at its own version if that is later than the latest one;
   * other content begins a new epoch. With `keepsVersion`, it gets the version that it has, whatever is served: it comes from who
   * decides about versions. Requests in progress end on the version that they began with. Prepared queries survive if the
   * schema is the same. Throws a ConfigError if the settings contradict the snapshot; the content then stays as it is.
   */
  *replaceInSteps(loaded: LoadedSnapshot, started = performance.now(), keepsVersion = false): Steps<boolean> {
    const next = this.#nextOf(loaded, keepsVersion);
    if (next) this.replaceBy(yield* this.prepareSnapshotInSteps(next, started));
    else this.keepLatest(loaded);
    return next !== null;
  }

  /** Returns a snapshot with the version that it is to be served at, or null for what is served. */
  #nextOf(loaded: LoadedSnapshot, keepsVersion: boolean): LoadedSnapshot | null {
    const version = loaded.version && versionText(loaded.version);
    const served = versionText(this.version);
    if (version === served) return keepsVersion && !isSameContent(loaded, this.loaded) ? loaded : null;
    if (keepsVersion && version !== undefined) return loaded;
    const isSameEpoch = loaded.version?.epoch === this.version.epoch;
    if (version !== undefined && isSameEpoch && isLater(version, served)) return loaded;
    if (isSameSnapshot(loaded, this.loaded)) return null;
    return version !== undefined && isLater(version, served) ? loaded : withoutVersion(loaded);
  }

  /**
   * Keeps the latest version with its changes and caches. Takes over from a snapshot what no change reaches: its uploaded
   * files, and what identifies callers.
   */
  keepLatest(loaded: LoadedSnapshot): void {
    const { loaded: served, summary } = this.latest;
    summary.loadedAt = new Date().toISOString();
    const uploadedFiles = filesAfterChanges(loaded.uploadedFiles, served.uploadedFiles);
    const latest = { ...this.latest, loaded: { ...served, uploadedFiles } };
    this.served.replaceLatest(withAccess(latest, loaded, this.settings));
    this.#replaceUploads();
  }

  /** As `replaceInSteps`, at once. */
  replace(loaded: LoadedSnapshot): boolean {
    return runAtOnce(this.replaceInSteps(loaded));
  }

  /** Prepares a snapshot for `replaceBy`. Changes nothing. Throws a ConfigError if the settings contradict the snapshot. */
  *prepareSnapshotInSteps(loaded: LoadedSnapshot, started: number): Steps<Version> {
    const shown = yield* shownStoreInSteps(loaded.store, this.settings);
    return prepareVersion(loaded, this.#configuration, started, this.latest.engine.catalog, shown);
  }

  /** Serves another snapshot, with its uploaded files. */
  replaceBy(latest: Version): void {
    this.served.limitMemory(latest);
    this.#kept.addLoaded(latest);
    this.served.replaceLatest(latest);
    this.compactions.abandon();
    this.#replaceUploads();
    this.served.publish(null);
  }

  /** Validates changes for `commitInSteps`. Changes nothing. Throws a SnapshotError that lists the errors. */
  prepareInSteps(given: unknown, form: ChangeForm, now?: string): Steps<PreparedChange> {
    return prepareChangeInSteps(this.latest, given, form, this.#configuration, now);
  }

  /** As `prepareInSteps`, for a batch whose form was validated. `count` is as in `NextSnapshot`. */
  prepareReadInSteps(batch: Batch, count = 1): Steps<PreparedChange> {
    return prepareReadBatchInSteps(this.latest, batch, this.#configuration, count);
  }

  /**
   * As `prepareInSteps`, for changes of a log that follow each other, joined to one batch. Returns null if they cannot be
   * joined.
   */
  *prepareJoinedInSteps(given: readonly unknown[]): Steps<PreparedChange | null> {
    const joined = yield* joinGivenInSteps(this.loaded, given);
    return joined && (yield* this.prepareReadInSteps(joined, given.length));
  }

  /**
   * Makes a batch visible, in the last step. Prepares it again before that if another batch was applied, or the content
   * compacted, meanwhile. Returns the change that was made. If it throws, the batch is not visible.
   */
  *commitInSteps(prepared: PreparedChange): Steps<PreparedChange> {
    let current = prepared;
    while (current.from !== this.latest) current = yield* this.prepareReadInSteps(current.batch, current.count);
    this.#commit(current, current.batch.entities.length, current.replacedBytes);
    warnOfError(() => this.compactions.applied(current.changes));
    return current;
  }

  /**
   * Makes a change visible, in the last step, that another thread has made to the same content. Throws an Error if the
   * content is another one, or changes meanwhile.
   */
  *repeatInSteps(change: MadeChange): Steps<void> {
    const next = yield* prepareMadeInSteps(this.latest, change, this.#configuration);
    if (next.from !== this.latest) throw new Error(`the content has changed while ${change.version} was applied`);
    // the coordinating thread counts the bytes of earlier versions
    this.#commit(next, change.changed, 0);
  }

  #commit(next: NextSnapshot, changed: number, replacedBytes: number): void {
    const { catalog } = this.latest.engine;
    const { after, stale } = commitChange(next, this.settings);
    // a new catalog has caches of its own
    if (after.engine.catalog !== catalog) this.served.limitMemory(after);
    this.served.replaceLatest(after);
    // readers see the batch from here on, so that no error may make it fail
    warnOfError(() => this.#kept.addChanged(after, changed, replacedBytes));
    warnOfError(() => this.#replaceUploads());
    warnOfError(() => this.served.publish(stale));
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
    const latest = rebaseVersion(this.latest, store, shown);
    this.#kept.rebase(latest);
    this.served.rebaseLatest(latest);
  }

  compacted(snapshot: VersionedSnapshot): void {
    this.served.changes.compacted(snapshot);
  }

  /** As `Content.pin`, from the last step on. */
  *pinInSteps(version: string): Steps<void> {
    if (version !== this.served.pinned?.version) yield* this.holdInSteps(this.#kept.find(version));
  }

  /** As `pinInSteps`, for a version that need not be among `recent`. The snapshot has its version. */
  *holdInSteps({ loaded, summary }: { loaded: LoadedSnapshot; summary?: ContentSummary }): Steps<void> {
    const prepared = yield* this.prepareSnapshotInSteps(loaded, performance.now());
    const held = withAccessOf(prepared, this.latest);
    this.served.pin({ ...held, summary: summary ?? held.summary });
  }

  /** As in `ServedVersion`. */
  get pinned(): PinnedVersion | null {
    return this.served.pinned;
  }

  /** As in `ServedVersion`. */
  get cacheFigures(): Record<string, CacheStatistics> {
    return this.served.cacheFigures;
  }

  /** How compactions ended, and how long the last one took. */
  get compactionFigures(): CompactionFigures {
    return this.compactions.figures;
  }

  /** Bytes of the latest store, without what is derived from it. */
  get storeBytes(): number {
    return storeBytes(this.loaded.store);
  }

  /** Removes unpacked files when the requests for them have ended. To be called when nothing is served any more. */
  async close(): Promise<void> {
    this.compactions.abandon();
    await this.uploads.served?.release();
  }

  #replaceUploads(): void {
    this.uploads.replace(this.loaded.uploadedFiles, this.latest.summary);
  }
}

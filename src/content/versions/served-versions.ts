import type { LoadedSnapshot } from '../../load/loaded.ts';
import { versionText } from '../../store/content-version.ts';
import { storeBytes } from '../../store/store-bytes.ts';
import { type ActiveSnapshot, withAccessOf } from './active-snapshot.ts';
import { ChangeFeed, type StaleParts } from './change-feed.ts';
import { type KeptSnapshot, type RecentVersion, RecentVersions, type VersionLimits } from './recent-versions.ts';

/** The version that is served in place of the latest one. */
export interface PinnedVersion {
  /** As in the header `X-Lectern-Version`. */
  readonly version: string;
  /** Since when it is pinned, as ISO 8601. */
  readonly since: string;
}

interface Pin {
  readonly active: ActiveSnapshot;
  readonly since: string;
}

/** The versions of a content: the latest, which changes are made to, and the one that is served. */
export class ServedVersions {
  /** Tells listeners about changes of what is served. */
  readonly changes = new ChangeFeed();
  readonly #activate: (loaded: LoadedSnapshot) => ActiveSnapshot;
  readonly #onReleased: VersionLimits['onReleased'];
  readonly #recent: RecentVersions;
  #latest: ActiveSnapshot;
  /** Null if the latest version is served. */
  #pin: Pin | null = null;
  #share = 1;

  /** `activate` prepares a version for serving again. */
  constructor(latest: ActiveSnapshot, limits: VersionLimits, activate: (loaded: LoadedSnapshot) => ActiveSnapshot) {
    this.#latest = latest;
    this.#recent = new RecentVersions(limits, latest);
    this.#onReleased = limits.onReleased;
    this.#activate = activate;
  }

  get latest(): ActiveSnapshot {
    return this.#latest;
  }

  /** The version that is served. */
  get active(): ActiveSnapshot {
    return this.#pin?.active ?? this.#latest;
  }

  /** The versions that can be pinned, the latest first. */
  get recent(): RecentVersion[] {
    return this.#recent.all;
  }

  /** Bytes that these versions do not share with the latest one. */
  get earlierBytes(): number {
    return this.#recent.earlierBytes;
  }

  /** Null if the latest version is served. */
  get pinned(): PinnedVersion | null {
    return this.#pin && { version: versionText(this.#pin.active.engine.version), since: this.#pin.since };
  }

  /** Follows with the version of a snapshot that was loaded. `publish` tells listeners. */
  load(latest: ActiveSnapshot): void {
    if (this.#share < 1) latest.engine.takeShare(this.#share);
    this.#recent.addBase(latest);
    this.replaceAccess(latest);
  }

  /**
   * Follows with the version after a batch that wrote or deleted this number of entries. It does not share `replacedBytes`
   * of the version before. `publish` tells listeners.
   */
  change(latest: ActiveSnapshot, changed: number, replacedBytes: number): void {
    const { catalog } = this.#latest.engine;
    this.#latest = latest;
    // a new catalog has caches of its own
    if (this.#share < 1 && latest.engine.catalog !== catalog) latest.engine.takeShare(this.#share);
    this.#recent.add(latest, changed, replacedBytes);
  }

  /** Gives the latest version another base with the same content, and tells listeners. */
  rebase(latest: ActiveSnapshot): void {
    const before = this.#latest.engine.store;
    this.#latest = latest;
    this.#recent.rebase(latest);
    if (!this.#pin) this.changes.rebase({ before, after: latest.engine.store });
  }

  /** Gives the latest version other files. */
  replaceFiles(uploadedFiles: LoadedSnapshot['uploadedFiles']): void {
    this.#latest = { ...this.#latest, loaded: { ...this.#latest.loaded, uploadedFiles } };
  }

  /** Follows with the latest version with other tokens and secrets, which identify the callers of any version. */
  replaceAccess(latest: ActiveSnapshot): void {
    this.#latest = latest;
    if (this.#pin) this.#pin = { ...this.#pin, active: withAccessOf(this.#pin.active, latest) };
  }

  /** Tells listeners that the latest version is served, unless one is pinned. */
  publish(stale: StaleParts | null): void {
    if (!this.#pin) this.changes.publish({ version: versionText(this.#latest.engine.version), stale });
  }

  /** As `Content.pin`. */
  pin(version: string): void {
    if (version !== this.pinned?.version) this.hold(this.#recent.find(version));
  }

  /** As `pin`, for a version of which this content need not know. The snapshot has its version. */
  hold({ loaded, summary }: Pick<KeptSnapshot, 'loaded'> & Partial<KeptSnapshot>): void {
    const held = withAccessOf(this.#activate(loaded), this.#latest);
    const active = { ...held, summary: summary ?? held.summary };
    // its caches are not used any more, and would be stale when it is served again
    this.#latest.engine.releaseMemory();
    this.#serve({ active, since: new Date().toISOString() });
  }

  /** As `Content.unpin`. */
  unpin(): void {
    if (this.#pin) this.#serve(null);
  }

  /** Uses this part of the memory for caches from now on, from 0 to 1. Returns whether it is another one. */
  takeShare(share: number): boolean {
    if (share === this.#share) return false;
    this.#share = share;
    this.active.engine.takeShare(share);
    return true;
  }

  #serve(pin: Pin | null): void {
    const before = this.active;
    if (this.#pin) this.#onReleased(storeBytes(this.#pin.active.loaded.store));
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

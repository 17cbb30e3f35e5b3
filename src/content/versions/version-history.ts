import { RequestError } from '../../core/errors.ts';
import { runAtOnce } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { versionText } from '../../store/content-version.ts';
import { countOwnBytesInSteps, storeBytes } from '../../store/own-bytes.ts';
import type { Store } from '../../store/store.ts';
import { type ActiveSnapshot, withAccessOf } from './active-snapshot.ts';
import { ChangeFeed, type StaleParts } from './change-feed.ts';
import type { ContentSummary } from './summary.ts';

/** A version that serving can be pinned to. */
export interface RecentVersion {
  /** As in the header `X-Lectern-Version`. */
  readonly version: string;
  /** When it was made, as ISO 8601. */
  readonly madeAt: string;
  /** The number of entries that its batch wrote or deleted. Null for a snapshot that was loaded. */
  readonly changed: number | null;
}

/** The version that is served in place of the latest one. */
export interface PinnedVersion {
  /** As in the header `X-Lectern-Version`. */
  readonly version: string;
  /** Since when it is pinned, as ISO 8601. */
  readonly since: string;
}

/** A past version, without its engine: only the latest version has caches. */
interface KeptVersion extends RecentVersion {
  readonly loaded: LoadedSnapshot;
  readonly summary: ContentSummary;
  readonly base: Base;
  /** Bytes of its changes that the next version does not share. 0 for the latest. */
  readonly ownBytes: number;
}

interface Pin {
  readonly active: ActiveSnapshot;
  readonly since: string;
}

/** The rows that versions share. */
class Base {
  readonly #store: Store;
  #bytes: number | null = null;

  /** The store of the first version. */
  constructor(store: Store) {
    this.#store = store;
  }

  /** Counted when it is first read. */
  get bytes(): number {
    this.#bytes ??= storeBytes(this.#store);
    return this.#bytes;
  }

  /** Returns the bytes of the changes of a version since the first one. */
  changedBytes({ store }: LoadedSnapshot): number {
    return runAtOnce(countOwnBytesInSteps(store, this.#store));
  }
}

export interface VersionLimits {
  /** Maximum number of versions, with the latest one. */
  readonly count: number;
  /** Maximum bytes of the bases and changes that the latest version does not need. */
  readonly earlierBytes: number;
  /** Called with the bytes of a base that no version uses any more. */
  onReleased(bytes: number): void;
}

/** The default number of versions that are kept. Versions with the same base share it. */
export const versionCount = 10;

/** The last versions of a content. Changes are made to the latest, and the latest or a pinned one is served. */
export class VersionHistory {
  /** Tells listeners about changes of what is served. */
  readonly changes = new ChangeFeed();
  readonly #limits: VersionLimits;
  readonly #activate: (loaded: LoadedSnapshot) => ActiveSnapshot;
  /** The latest is the last one. */
  #kept: KeptVersion[] = [];
  #latest: ActiveSnapshot;
  /** Null if the latest version is served. */
  #pin: Pin | null = null;
  #share = 1;

  /** `activate` prepares a version for serving again. */
  constructor(latest: ActiveSnapshot, limits: VersionLimits, activate: (loaded: LoadedSnapshot) => ActiveSnapshot) {
    this.#latest = latest;
    this.#limits = limits;
    this.#activate = activate;
    this.#addBase(latest);
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
    return this.#kept.map(({ version, madeAt, changed }) => ({ version, madeAt, changed })).reverse();
  }

  /** Bytes that the versions do not share with the latest one. */
  get earlierBytes(): number {
    const bases = basesOf(this.#kept);
    bases.delete(this.#lastKept.base);
    const ofBases = [...bases].reduce((total, { bytes }) => total + bytes, 0);
    return this.#kept.reduce((total, { ownBytes }) => total + ownBytes, ofBases);
  }

  /** Null if the latest version is served. */
  get pinned(): PinnedVersion | null {
    return this.#pin && { version: versionText(this.#pin.active.engine.version), since: this.#pin.since };
  }

  /** Adds the version of a loaded snapshot, which is the latest from now on. `publish` tells listeners. */
  load(latest: ActiveSnapshot): void {
    if (this.#share < 1) latest.engine.takeShare(this.#share);
    this.#addBase(latest);
    this.replaceAccess(latest);
  }

  /**
   * Adds the version after a batch that wrote or deleted `changed` entries. It does not share `replacedBytes` of the
   * version before. `publish` tells listeners.
   */
  change(latest: ActiveSnapshot, changed: number, replacedBytes: number): void {
    const { catalog } = this.#latest.engine;
    this.#latest = latest;
    // a new catalog has caches of its own
    if (this.#share < 1 && latest.engine.catalog !== catalog) latest.engine.takeShare(this.#share);
    const before = this.#lastKept;
    const earlier = { ...before, ownBytes: replacedBytes };
    this.#keep([...this.#kept.slice(0, -1), earlier, keptVersion(latest, changed, before.base)]);
  }

  /** Gives the latest version another base with the same content, and tells listeners. */
  rebase(latest: ActiveSnapshot): void {
    const before = this.#latest.engine.store;
    this.#latest = latest;
    const { base, changed, madeAt } = this.#lastKept;
    const earlier = this.#kept.slice(0, -1);
    this.#keep([
      ...(earlier.at(-1)?.base === base ? withChanges(earlier) : earlier),
      { ...keptVersion(latest, changed, new Base(latest.loaded.store)), madeAt },
    ]);
    if (!this.#pin) this.changes.rebase({ before, after: latest.engine.store });
  }

  /** Gives the latest version other files. */
  replaceFiles(uploadedFiles: LoadedSnapshot['uploadedFiles']): void {
    this.#latest = { ...this.#latest, loaded: { ...this.#latest.loaded, uploadedFiles } };
  }

  /** Gives every version the tokens and secrets of `latest`, the latest version. They identify callers of all versions. */
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
    if (version !== this.pinned?.version) this.#hold(this.#find(version));
  }

  /** As `pin`, for a version that need not be among `recent`. The snapshot has its version. */
  hold(loaded: LoadedSnapshot): void {
    this.#hold({ loaded });
  }

  /** As `Content.unpin`. */
  unpin(): void {
    if (this.#pin) this.#serve(null);
  }

  /** Uses this part of the memory for caches from now on, from 0 to 1. Returns whether the share has changed. */
  takeShare(share: number): boolean {
    if (share === this.#share) return false;
    this.#share = share;
    this.active.engine.takeShare(share);
    return true;
  }

  #hold({ loaded, summary }: Pick<KeptVersion, 'loaded'> & Partial<KeptVersion>): void {
    const held = withAccessOf(this.#activate(loaded), this.#latest);
    const active = { ...held, summary: summary ?? held.summary };
    // its caches are not used any more, and would be stale when it is served again
    this.#latest.engine.releaseMemory();
    this.#serve({ active, since: new Date().toISOString() });
  }

  #serve(pin: Pin | null): void {
    const before = this.active;
    if (this.#pin) this.#limits.onReleased(storeBytes(this.#pin.active.loaded.store));
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
  get #lastKept(): KeptVersion {
    return this.#kept.at(-1)!;
  }

  #addBase(loaded: ActiveSnapshot): void {
    this.#keep([...withChanges(this.#kept), keptVersion(loaded, null, new Base(loaded.loaded.store))]);
  }

  /** Throws a RequestError that lists the versions. */
  #find(version: string): KeptVersion {
    const found = this.#kept.find((kept) => kept.version === version);
    if (found) return found;
    const versions = this.recent.map((kept) => kept.version);
    const message = `The version ${JSON.stringify(version)} is not kept. Serving can be pinned to ${versions.join(', ')}`;
    throw new RequestError(404, 'NotFoundError', message, { versions });
  }

  #keep(versions: readonly KeptVersion[]): void {
    const before = basesOf(this.#kept);
    this.#kept = versions.slice(Math.max(this.#firstWithin(versions), versions.length - this.#limits.count));
    const after = basesOf(this.#kept);
    for (const base of before) if (!after.has(base)) this.#limits.onReleased(base.bytes);
  }

  /** Returns the index of the first version that the limit on bytes allows. */
  #firstWithin(versions: readonly KeptVersion[]): number {
    const bases = new Set([versions.at(-1)!.base]);
    let bytes = 0;
    for (let index = versions.length - 2; index >= 0; index--) {
      const { base, ownBytes } = versions[index];
      bytes += ownBytes;
      if (!bases.has(base)) bytes += base.bytes;
      bases.add(base);
      if (bytes > this.#limits.earlierBytes) return index + 1;
    }
    return 0;
  }
}

function keptVersion({ loaded, summary, engine }: ActiveSnapshot, changed: number | null, base: Base): KeptVersion {
  const { version } = engine;
  const madeAt = new Date().toISOString();
  return { version: versionText(version), madeAt, changed, loaded: { ...loaded, version }, summary, base, ownBytes: 0 };
}

/** Returns versions whose last one shares its changes with no later version. */
function withChanges(versions: readonly KeptVersion[]): KeptVersion[] {
  const last = versions.at(-1);
  return last ? [...versions.slice(0, -1), { ...last, ownBytes: last.base.changedBytes(last.loaded) }] : [];
}

function basesOf(versions: readonly KeptVersion[]): Set<Base> {
  return new Set(versions.map(({ base }) => base));
}

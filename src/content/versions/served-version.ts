import type { CacheStatistics } from '../../core/byte-bounded-cache.ts';
import { Codings } from '../../http/codings.ts';
import { versionText } from '../../store/content-version.ts';
import { storeBytes } from '../../store/own-bytes.ts';
import { ChangeFeed, type StaleParts } from './change-feed.ts';
import { type Version, withAccessOf } from './version.ts';

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

/** The version that requests are answered from: the latest or a pinned one. Has the memory for caches. */
export class ServedVersion {
  /** Tells listeners about changes of what is served. */
  readonly changes = new ChangeFeed();
  /** Compresses replies over HTTP. Null if compression is off. */
  readonly codings: Codings | null;
  readonly #compressedBytes: number;
  readonly #onReleased: (bytes: number) => void;
  #latest: Version;
  /** Null if the latest version is served. */
  #pin: Pin | null = null;
  /** The part of the memory for caches that may be used, from 0 to 1. */
  #share = 1;

  /**
   * `compressedBytes` is the memory for compressed replies; null if compression is off. `onReleased` is called with the bytes
   * of the base of a version that is no longer pinned.
   */
  constructor(latest: Version, compressedBytes: number | null, onReleased: (bytes: number) => void) {
    this.#latest = latest;
    this.#compressedBytes = compressedBytes ?? 0;
    this.codings = compressedBytes === null ? null : new Codings(compressedBytes);
    this.#onReleased = onReleased;
  }

  /** The version that changes are made to. */
  get latest(): Version {
    return this.#latest;
  }

  /** The version that is served. */
  get active(): Version {
    return this.#pin?.version ?? this.#latest;
  }

  /** Null if the latest version is served. */
  get pinned(): PinnedVersion | null {
    return this.#pin && { version: versionText(this.#pin.version.engine.version), since: this.#pin.since };
  }

  /** Replaces the latest version. Its tokens and secrets identify the callers of a pinned version, too. */
  replaceLatest(latest: Version): void {
    this.#latest = latest;
    if (this.#pin) this.#pin = { ...this.#pin, version: withAccessOf(this.#pin.version, latest) };
  }

  /** Replaces the latest version by one with the same content in another store. */
  rebaseLatest(latest: Version): void {
    const before = this.#latest.engine.store;
    this.#latest = latest;
    if (!this.#pin) this.changes.rebase({ before, after: latest.engine.store });
  }

  /** Tells listeners that the latest version is served, unless another one is pinned. */
  publish(stale: StaleParts | null): void {
    if (!this.#pin) this.changes.publish({ version: versionText(this.#latest.engine.version), stale });
  }

  /** Serves a version in place of the latest one. */
  pin(version: Version): void {
    // its caches are not used any more, and would be stale when it is served again
    this.#latest.engine.releaseMemory();
    this.#serve({ version, since: new Date().toISOString() });
  }

  /** Serves the latest version. */
  unpin(): void {
    if (this.#pin) this.#serve(null);
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

  /** Limits the caches of a version that has its own to the part that may be used. */
  limitMemory({ engine }: Version): void {
    if (this.#share < 1) engine.takeShare(this.#share);
  }

  /** Use and size of the caches. */
  get cacheFigures(): Record<string, CacheStatistics> {
    const figures = this.active.engine.cacheFigures;
    return this.codings ? { ...figures, compressed: this.codings.figures } : figures;
  }
}

import { RequestError } from '../../core/errors.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { versionText } from '../../store/content-version.ts';
import { replacedBytes, storeBytes } from '../../store/own-bytes.ts';
import type { Store } from '../../store/store.ts';
import type { ContentSummary } from './summary.ts';
import type { Version } from './version.ts';

/** A version that serving can be pinned to. */
export interface RecentVersion {
  /** As in the header `X-Lectern-Version`. */
  readonly version: string;
  /** When it was made, as ISO 8601. */
  readonly madeAt: string;
  /** The number of entries that its batch wrote or deleted. Null for a snapshot that was loaded. */
  readonly changed: number | null;
}

/** A past version, without its engine: only the latest version has caches. */
export interface KeptVersion extends RecentVersion {
  readonly loaded: LoadedSnapshot;
  readonly summary: ContentSummary;
  readonly base: Base;
  /** Bytes of its changes that the next version does not share. 0 for the latest. */
  readonly ownBytes: number;
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

  /** Returns about how many bytes the changes of a version since the first one take. */
  changedBytes({ store }: LoadedSnapshot): number {
    return replacedBytes(store, this.#store);
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

/** The last versions of a content, within limits on their number and bytes. */
export class KeptVersions {
  readonly #limits: VersionLimits;
  /** The latest is the last one. */
  #kept: readonly KeptVersion[] = [];

  constructor(latest: Version, limits: VersionLimits) {
    this.#limits = limits;
    this.addLoaded(latest);
  }

  /** The versions that can be pinned, the latest first. */
  get recent(): RecentVersion[] {
    return this.#kept.map(({ version, madeAt, changed }) => ({ version, madeAt, changed })).reverse();
  }

  /** Bytes that the versions do not share with the latest one. */
  get earlierBytes(): number {
    const bases = basesOf(this.#kept);
    bases.delete(this.#latest.base);
    const ofBases = [...bases].reduce((total, { bytes }) => total + bytes, 0);
    return this.#kept.reduce((total, { ownBytes }) => total + ownBytes, ofBases);
  }

  /** Adds the version of a loaded snapshot. */
  addLoaded(version: Version): void {
    this.#keep([...withChanges(this.#kept), keptVersion(version, null, new Base(version.loaded.store))]);
  }

  /** Adds the version after a batch. The version before has `replacedBytes` of its own. */
  addChanged(version: Version, changed: number, replacedBytes: number): void {
    const before = this.#latest;
    const earlier = { ...before, ownBytes: replacedBytes };
    this.#keep([...this.#kept.slice(0, -1), earlier, keptVersion(version, changed, before.base)]);
  }

  /** Replaces the latest version by one with the same content and another base. */
  rebase(version: Version): void {
    const { base, changed, madeAt } = this.#latest;
    const earlier = this.#kept.slice(0, -1);
    this.#keep([
      ...(earlier.at(-1)?.base === base ? withChanges(earlier) : earlier),
      { ...keptVersion(version, changed, new Base(version.loaded.store)), madeAt },
    ]);
  }

  /** Returns a version by its name, if it is kept. */
  get(version: string): KeptVersion | undefined {
    return this.#kept.find((kept) => kept.version === version);
  }

  /** As `get`. Throws a RequestError that lists the versions if it is not kept. */
  find(version: string): KeptVersion {
    const found = this.get(version);
    if (found) return found;
    const versions = this.recent.map((kept) => kept.version);
    const message = `The version ${JSON.stringify(version)} is not kept. Serving can be pinned to ${versions.join(', ')}`;
    throw new RequestError(404, 'NotFoundError', message, { versions });
  }

  get #latest(): KeptVersion {
    return this.#kept.at(-1)!;
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

function keptVersion({ loaded, summary, engine }: Version, changed: number | null, base: Base): KeptVersion {
  const { version } = engine;
  const madeAt = new Date().toISOString();
  return { version: versionText(version), madeAt, changed, loaded, summary, base, ownBytes: 0 };
}

/** Returns versions whose last one shares its changes with no later version. */
function withChanges(versions: readonly KeptVersion[]): KeptVersion[] {
  const last = versions.at(-1);
  return last ? [...versions.slice(0, -1), { ...last, ownBytes: last.base.changedBytes(last.loaded) }] : [];
}

function basesOf(versions: readonly KeptVersion[]): Set<Base> {
  return new Set(versions.map(({ base }) => base));
}

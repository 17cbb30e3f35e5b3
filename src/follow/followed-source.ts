import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Batch } from '../changes/batch/batch.ts';
import type { ContentSource, Freshness } from '../content/registry/content-source.ts';
import { allocatorFor } from '../core/memory/allocator.ts';
import { type LoadedSnapshot, type LoadOptions, type LoadSettings, loadSettingsOf } from '../load/loaded.ts';
import type { Config } from '../model/settings/config.ts';
import type { FollowedContent } from './followed-content.ts';
import type { SourceCache } from './source-cache.ts';
import { SourceFollower } from './source-follower.ts';
import { problemOf, SourceFreshness } from './source-freshness.ts';
import type { ReadingEvents, SourceReading } from './source-reader.ts';

/** How long a start waits for the source if the cache has content of it, in milliseconds. */
const patience = 5000;

interface FollowedSourceOptions {
  /** The name of the source in messages. */
  readonly name: string;
  readonly settings: LoadSettings & Pick<Config, 'follow'>;
  /** Whether several threads answer requests. */
  readonly isShared: boolean;
  readonly log: Logger;
  read(events: ReadingEvents): SourceReading;
  /** Null: nothing is kept over a restart. */
  readonly cache: SourceCache | null;
  /** Default: 5 seconds. */
  readonly patience?: number;
}

/** The content that a followed source keeps, with its latest version. */
interface ServedContent extends FollowedContent {
  /** Differs for other content, and for other API tokens. */
  readonly version: string;
}

/** A source that a content follows, with its cache for starts while the source is away. */
export class FollowedSource implements ContentSource {
  readonly #options: FollowedSourceOptions;
  readonly #freshness: SourceFreshness;
  readonly #reading: SourceReading;
  readonly #follower: SourceFollower;
  #isCached = false;

  constructor(options: FollowedSourceOptions) {
    this.#options = options;
    const { name, settings, isShared, log } = options;
    this.#freshness = new SourceFreshness(name);
    this.#reading = options.read({
      unchanged: (readAt) => this.#follower.unchanged(readAt),
      access: (access) => this.#follower.access(access),
      signOfLife: () => this.#follower.signOfLife(),
    });
    this.#follower = new SourceFollower({
      reading: this.#reading,
      freshness: this.#freshness,
      loading: { ...loadSettingsOf(settings), isShared },
      log,
      fullAt: settings.follow.fullAt,
    });
  }

  get freshness(): Freshness {
    return this.#freshness.figures;
  }

  hint(body?: unknown): void {
    this.#follower.hint(body);
  }

  /**
   * Loads the content for the first time. If the source fails or takes long, returns the cached content. Without a cache,
   * waits up to `follow.startSeconds` for a source that is away. Rejects with a SnapshotError.
   */
  async load(options: LoadOptions): Promise<LoadedSnapshot> {
    const { cache, log, name, isShared, settings } = this.#options;
    const first = this.#follower.start();
    const problem = cache && (await this.#waitFor(first.loaded));
    if (cache && problem === null) return first.loaded;
    const kept = await cache?.load({ ...options, allocator: allocatorFor(isShared) });
    if (!kept) return first.patiently(settings.follow.startSeconds);
    this.#isCached = true;
    this.#freshness.kept(kept.readAt);
    const readAt = new Date(kept.readAt).toISOString();
    log.warn({ readAt }, `content from the cache is served until ${name} can be read: ${problem}`);
    return kept.loaded;
  }

  /** Follows from now on. `content` serves what `load` has returned. */
  follow(content: ServedContent): void {
    const { cache } = this.#options;
    if (this.#isCached) cache!.setWritten(content.version);
    else this.#follower.served();
    const kept = () => ({
      loaded: content.loaded,
      version: content.version,
      readAt: this.#freshness.figures.readAt ?? 0,
    });
    cache?.changed(kept);
    void this.#follower.follow({
      get loaded() {
        return content.loaded;
      },
      async apply(batch: Batch) {
        await content.apply(batch);
        cache?.changed(kept);
      },
      async replace(loaded: LoadedSnapshot, started: number) {
        const isNew = await content.replace(loaded, started);
        // a deleted token does not come back with the next start
        cache?.changed(kept, true);
        return isNew;
      },
    });
  }

  /** As `SourceFollower.reload`. */
  reload(): Promise<boolean> {
    return this.#follower.reload();
  }

  async close(): Promise<void> {
    await Promise.all([this.#follower.close(), this.#options.cache?.close()]);
  }

  /** Returns why the load did not succeed in time, or null. */
  async #waitFor(loading: Promise<unknown>): Promise<string | null> {
    const slow = setTimeout(this.#options.patience ?? patience, 'reading it takes its time', { ref: false });
    const ended = loading.then(() => null, problemOf);
    return Promise.race([ended, slow]);
  }
}

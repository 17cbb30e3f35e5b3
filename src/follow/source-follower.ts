import type { ContentSource, Freshness } from '../content/registry/content-source.ts';
import { SilentSourceError, SnapshotError } from '../core/errors.ts';
import { type LoadedAccess, type LoadedSnapshot, loadSettingsOf } from '../load/loaded.ts';
import { ContentUpdates, type FollowedContent } from './content-updates.ts';
import { FirstLoad, type StartOptions } from './first-load.ts';
import { DailyTimer, RetryPauses } from './pauses.ts';
import { ReloadRequest } from './reload-request.ts';
import { SourceFailures, SourceFreshness } from './source-freshness.ts';
import { ReaderGone, type ReadingEvents, type SourceChange, type SourceReading } from './source-reader.ts';

export interface FollowerOptions extends StartOptions {
  read(events: ReadingEvents): SourceReading;
  /** Returns the milliseconds before the next attempt, after the given number of failures. */
  readonly retryDelay?: (failures: number) => number;
  /** As in `ContentSource`. */
  readonly publication?: string;
  /** Whether everything is read again once a day, at `follow.fullAt`. Default: true. */
  readonly isReadDaily?: boolean;
  /**
   * The most milliseconds before a reader that waits for a change, or whose source does not answer, is asked again. Without it,
   * `retryDelay` decides alone.
   */
  readonly longestPause?: number;
}

/**
 * ```text
 * starting ──▶ loading ──▶ serving ◀──▶ waiting        after a failure: pausing ──▶ loading or waiting
 * ```
 *
 * - `starting`: loads for the first time. Nothing is served, except content of the cache.
 * - `loading`: loads everything.
 * - `serving`: makes a load or a change visible.
 * - `waiting`: waits for a change. The reader knows the content that is served.
 * - `pausing`: waits after a failure.
 * - `closed`: for good.
 */
type State = 'starting' | 'loading' | 'waiting' | 'serving' | 'pausing' | 'closed';

/**
 * Keeps a content equal to its source. Applies batches in order, and loads everything where no batch leads. While the
 * source cannot be read, the content stays, and the source is tried again.
 */
export class SourceFollower implements ContentSource {
  readonly #options: FollowerOptions;
  readonly #reading: SourceReading;
  readonly #freshness: SourceFreshness;
  readonly #failures: SourceFailures;
  readonly #retries: RetryPauses;
  #state: State = 'starting';
  /** Null when its result is served or being served. */
  #first: FirstLoad | null = null;
  #updates!: ContentUpdates;
  #daily: DailyTimer | null = null;
  /**
   * A change that only a load can serve, with the time at which it was made or noticed. Null: the reader knows the content
   * that is served.
   */
  #missed: { readonly changedAt: number | null } | null = { changedAt: null };
  #request: ReloadRequest | null = null;
  /** Whether the next load logs what the content had missed. */
  #isComparing = false;
  /** The last reset of the reader, which must not load before its end. */
  #reset: Promise<void> = Promise.resolve();

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#reading = options.read({
      unchanged: (readAt, isStandby) => this.unchanged(readAt, isStandby),
      access: (access) => this.access(access),
      warned: (message) => options.log.warn(message),
      signOfLife: () => this.signOfLife(),
    });
    this.#freshness = new SourceFreshness(options.name, options.now);
    this.#failures = new SourceFailures(options.log, this.#freshness);
    this.#retries = new RetryPauses(options.retryDelay);
  }

  get publication(): string | undefined {
    return this.#options.publication;
  }

  get freshness(): Freshness {
    return this.#freshness.figures;
  }

  onRead(listener: () => void): () => void {
    return this.#freshness.onRead(listener);
  }

  /** Loads the source for the first time, as `FirstLoad.result` does. */
  load(): Promise<LoadedSnapshot> {
    this.#first = new FirstLoad({ ...this.#options, freshness: this.#freshness, load: () => this.#read() });
    return this.#first.result();
  }

  /** Follows the source until `close`. `content` serves what `load` has returned. */
  async follow(content: FollowedContent): Promise<void> {
    const { cache, log, settings, isReadDaily = true } = this.#options;
    if (this.#first!.isCached) cache!.setWritten(content.version);
    else {
      this.#freshness.read(this.#first!.readAt);
      this.#first = null;
      this.#missed = null;
    }
    this.#updates = new ContentUpdates(content, { freshness: this.#freshness, failures: this.#failures, cache, log });
    if (isReadDaily) this.#daily = new DailyTimer(settings.follow.fullAt, () => this.compareAll());
    while (this.#state !== 'closed') {
      const isLoad = this.#mustLoad;
      const started = performance.now();
      this.#retries.begin();
      try {
        if (isLoad) await this.#load(started);
        else await this.#takeChange();
      } catch (error) {
        // a source whose loads take long gets a pause of the same length
        await this.#pause(error, isLoad ? performance.now() - started : 0);
      }
    }
  }

  /**
   * Reads everything again, and returns whether it is new, when all threads serve it. Rejects with why it cannot be read or
   * served.
   */
  reload(): Promise<boolean> {
    if (!this.#request) {
      this.#request = new ReloadRequest();
      this.#interrupt();
    }
    return this.#request.isNew;
  }

  /** Reads everything again soon, and logs what the content had missed. */
  compareAll(): void {
    this.#isComparing = true;
    this.#interrupt();
  }

  /** As `SourceReader.hint`. */
  hint(body?: unknown): void {
    this.signOfLife();
    this.#reading.hint(body);
  }

  /** A source that has failed is tried again soon. */
  signOfLife(): void {
    this.#first?.signOfLife();
    this.#retries.signOfLife();
  }

  /** As `OnAccess`. The change is served at once, beside the load. */
  access(access: LoadedAccess): void {
    if (this.#state === 'starting') this.#first!.access = access;
    else if (this.#state === 'loading') this.#updates.reportAccess(access);
  }

  /** The reader has found the content equal to the source. */
  unchanged(readAt: number, isStandby = false): void {
    this.#freshness.isStandby = isStandby;
    if (this.#state === 'waiting') this.#succeed(readAt);
  }

  async close(): Promise<void> {
    this.#enter('closed');
    this.#daily?.close();
    this.#first?.close();
    this.#retries.end();
    await Promise.all([this.#reading.close(), this.#options.cache?.close()]);
    this.#request?.reject(new SnapshotError(['the server is stopping']));
  }

  #enter(state: State): void {
    if (this.#state !== 'closed') this.#state = state;
  }

  /** The content equals the source at this time. */
  #succeed(readAt: number): void {
    this.#retries.succeeded();
    this.#failures.end(readAt);
  }

  get #mustLoad(): boolean {
    return this.#missed !== null || this.#request !== null || this.#isComparing;
  }

  /** Ends a pause, or a wait for a change. */
  #interrupt(): void {
    this.#retries.end();
    if (this.#state === 'waiting') this.#reset = this.#reading.reset();
  }

  async #takeChange(): Promise<void> {
    const change = await this.#nextChange();
    if (!change) return;
    this.#enter('serving');
    const { log } = this.#options;
    if (change.warning) log.warn(change.warning);
    if (change.kind === 'reload') {
      log.info(`the source is read whole: ${change.reason}`);
      this.#missed = { changedAt: change.changedAt ?? change.readAt };
      return;
    }
    await this.#updates.serve(change);
    if (change.kind === 'batch' || change.kind === 'changes') this.#succeed(change.readAt);
  }

  /** Returns null if it was interrupted before the source has changed. */
  async #nextChange(): Promise<SourceChange | null> {
    this.#enter('waiting');
    try {
      return await this.#reading.next();
    } catch (error) {
      if (this.#mustLoad) return null;
      throw error;
    }
  }

  async #load(started: number): Promise<void> {
    const first = this.#first;
    this.#first = null;
    // the first load may have begun before a request
    const request = first ? null : this.#request;
    const isCompared = !first && this.#isComparing;
    this.#enter('loading');
    if (first?.access) this.access(first.access);
    try {
      const readAt = first?.readAt ?? (this.#options.now ?? Date.now)();
      const loaded = await (first?.loaded ?? this.#read());
      this.#enter('serving');
      // a change of access that is served later would bring the old content back
      await this.#updates.settled();
      if (isCompared) this.#updates.logDifferences(loaded);
      if (loaded.pinned !== undefined) await this.#updates.pin(loaded.pinned);
      const isNew = await this.#updates.replace(loaded, started);
      if (isNew) this.#freshness.served('reload', this.#missed?.changedAt ?? null);
      this.#missed = null;
      if (isCompared) this.#isComparing = false;
      // the pauses go on growing, because a batch that never fits would otherwise cause a load each second
      this.#failures.end(readAt);
      request?.resolve(isNew);
    } catch (error) {
      if (request) this.#failures.noteReported(error);
      request?.reject(error);
      throw error;
    } finally {
      // a request that came meanwhile waits for the next load
      if (this.#request === request) this.#request = null;
    }
  }

  async #read(): Promise<LoadedSnapshot> {
    await this.#reset;
    const { settings, isShared } = this.#options;
    return this.#reading.load({ ...loadSettingsOf(settings), isShared });
  }

  /** Waits after a failure, at least for the given milliseconds. */
  async #pause(error: unknown, least: number): Promise<void> {
    if (this.#state === 'closed') return;
    // a reader that waits has lost nothing. After a change that is not served, only a load leads on
    const isWaiting = this.#state === 'waiting' && !(error instanceof ReaderGone);
    if (!isWaiting) this.#missed ??= { changedAt: null };
    this.#enter('pausing');
    this.#failures.add(error);
    const isSoon = isWaiting || error instanceof SilentSourceError;
    await this.#retries.wait(least, isSoon ? this.#options.longestPause : undefined);
  }
}

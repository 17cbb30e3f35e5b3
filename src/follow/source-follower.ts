import type { Logger } from 'pino';
import type { Batch } from '../changes/batch/batch.ts';
import { SnapshotError } from '../core/errors.ts';
import type { LoadedAccess, LoadedSnapshot } from '../load/loaded.ts';
import type { ThreadOptions } from '../load/thread/described-snapshot.ts';
import { prepareDigests } from '../store/writer/rows/row-digest.ts';
import { type FollowedContent, logDifferences } from './followed-content.ts';
import { DailyTimer, RetryPauses } from './pauses.ts';
import { accessFrameOf, frameDifference } from './project/project-frame.ts';
import { ReloadRequest } from './reload-request.ts';
import { SourceFailures, type SourceFreshness } from './source-freshness.ts';
import { ReaderGone, type SourceChange, type SourceReading } from './source-reader.ts';

export interface FollowerOptions {
  readonly reading: SourceReading;
  readonly freshness: SourceFreshness;
  readonly loading: ThreadOptions;
  readonly log: Logger;
  /** The local time at which everything is read once a day, such as 03:30. */
  readonly fullAt: string;
  readonly now?: () => number;
  /** Returns the milliseconds before the next attempt, after the given number of failures. */
  readonly retryDelay?: (failures: number) => number;
}

/**
 * `starting`: the first load, before `follow`. `outdated`: everything has to be loaded. `loading`: everything is being
 * loaded. `current`: the reader knows the content that is served, and waits for changes. `closed`: for good.
 */
type State = 'starting' | 'outdated' | 'loading' | 'current' | 'closed';

/**
 * Keeps a content equal to its source. Applies batches in order, and loads everything where no batch leads. While the
 * source cannot be read, the content stays, and the source is tried again.
 */
export class SourceFollower {
  readonly #options: FollowerOptions;
  readonly #reading: SourceReading;
  readonly #freshness: SourceFreshness;
  readonly #failures: SourceFailures;
  readonly #now: () => number;
  readonly #retries: RetryPauses;
  /** A load that began before the content was served. */
  #begun: { readonly load: Promise<LoadedSnapshot>; readonly readAt: number } | null = null;
  #content!: FollowedContent;
  /** The latest access of a load that began before the content was served. */
  #startAccess: LoadedAccess | null = null;
  /** The last change of access during a load. */
  #identified: Promise<void> = Promise.resolve();
  #state: State = 'starting';
  /** The call of `next` that an interruption ends. */
  #waiting: { isInterrupted: boolean } | null = null;
  /** The last interruption. */
  #reset: Promise<void> = Promise.resolve();
  /** When the change that requires the next load was made or noticed. */
  #changedAt: number | null = null;
  #request: ReloadRequest | null = null;
  #isComparing = false;
  /** The duration of the last load in milliseconds if it failed or was rejected, otherwise 0. */
  #failedLoad = 0;
  #daily: DailyTimer | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#reading = options.reading;
    this.#freshness = options.freshness;
    this.#failures = new SourceFailures(options.log, options.freshness);
    this.#now = options.now ?? Date.now;
    this.#retries = new RetryPauses(options.retryDelay);
  }

  /** Loads the source for the first time. `follow` serves the result, unless `served` is called. */
  load(): Promise<LoadedSnapshot> {
    const load = this.#reading.load(this.#options.loading);
    this.#begun = { load, readAt: this.#now() };
    load.catch(() => {});
    return load;
  }

  /** The content that `load` has returned is served. */
  served(): void {
    this.#freshness.read(this.#begun!.readAt);
    this.#begun = null;
    this.#startAccess = null;
    this.#enter('current');
  }

  /** Follows the source until `close`. */
  async follow(content: FollowedContent): Promise<void> {
    this.#content = content;
    if (this.#state === 'starting') this.#enter('outdated');
    this.#daily = new DailyTimer(this.#options.fullAt, () => this.compareAll());
    while (this.#state !== 'closed') {
      this.#retries.begin();
      try {
        if (this.#state !== 'current' || this.#request || this.#isComparing) await this.#reload();
        else await this.#takeNext();
      } catch (error) {
        await this.#fail(error);
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
    this.#retries.signOfLife();
  }

  /** As `OnAccess`. The change is served at once, beside the load. */
  access(access: LoadedAccess): void {
    if (this.#state === 'starting') this.#startAccess = access;
    else if (this.#state === 'loading') this.#identifyBesideLoad(access);
  }

  /** The reader has found the content equal to the source. */
  unchanged(readAt: number): void {
    if (this.#state !== 'current') return;
    this.#retries.succeeded();
    this.#failures.end(readAt);
  }

  async close(): Promise<void> {
    this.#enter('closed');
    this.#daily?.close();
    this.#retries.end();
    await this.#reading.close();
    this.#request?.reject(new SnapshotError(['the server is stopping']));
  }

  /** Closes a waiting reader, which must not load during a call of `next`. */
  #interrupt(): void {
    this.#retries.end();
    if (!this.#waiting) return;
    this.#waiting.isInterrupted = true;
    this.#reset = this.#reading.reset();
  }

  async #takeNext(): Promise<void> {
    const change = await this.#next();
    if (!change) return;
    const changedAt = change.changedAt ?? change.readAt;
    if (change.warning) this.#options.log.warn(change.warning);
    if (change.kind === 'reload') {
      this.#options.log.info(`the source is read whole: ${change.reason}`);
      this.#enter('outdated');
      this.#changedAt = changedAt;
      return;
    }
    if (change.kind === 'access') {
      await this.#identify(change.access);
      this.#options.log.info(`callers are identified anew: ${change.reason}`);
      this.#freshness.served('batch', changedAt);
      return;
    }
    if (change.reason) this.#options.log.info(change.reason);
    if (change.batch.entities.length > 0 || change.batch.links.length > 0) {
      await this.#apply(change.batch);
      this.#freshness.served('batch', changedAt);
    }
    this.#retries.succeeded();
    this.#failures.end(change.readAt);
  }

  /** Returns null if it was interrupted before the source has changed. */
  async #next(): Promise<SourceChange | null> {
    const waiting = { isInterrupted: false };
    this.#waiting = waiting;
    try {
      return await this.#reading.next();
    } catch (error) {
      if (waiting.isInterrupted) return null;
      throw error;
    } finally {
      this.#waiting = null;
    }
  }

  async #apply(batch: Batch): Promise<void> {
    try {
      await this.#content.apply(batch);
    } catch (error) {
      // also after a failure of another thread
      this.#enter('outdated');
      if (!(error instanceof SnapshotError)) throw error;
      const problems = error.problems.map((problem) => `a change does not fit: ${problem}`);
      throw new SnapshotError(problems, error.count, 'batch');
    }
  }

  /** Serves the same content with other tokens and secrets. */
  async #identify(access: LoadedAccess): Promise<void> {
    try {
      await this.#content.replace({ ...this.#content.loaded, ...access }, performance.now());
    } catch (error) {
      this.#enter('outdated');
      throw error;
    }
  }

  /** Serves the access that the reader has reported, unless it is served already. */
  #identifyBesideLoad(access: LoadedAccess): void {
    this.#identified = this.#identified.then(async () => {
      try {
        await prepareDigests();
        const reason = frameDifference(accessFrameOf(this.#content.loaded), accessFrameOf(access));
        if (reason === null) return;
        await this.#content.replace({ ...this.#content.loaded, ...access }, performance.now());
        this.#options.log.info(`callers are identified anew: ${reason}`);
      } catch (error) {
        this.#failures.add(error);
      }
    });
  }

  #enter(state: State): void {
    if (this.#state !== 'closed') this.#state = state;
  }

  async #reload(): Promise<void> {
    const request = this.#request;
    const isCompared = this.#isComparing;
    const started = performance.now();
    const { load, readAt } = this.#takeBegun(request !== null || isCompared);
    try {
      const loaded = await this.#withAccess(load);
      if (isCompared) logDifferences(this.#options.log, this.#content.loaded, loaded);
      const isNew = await this.#content.replace(loaded, started);
      // the pauses go on growing after a load, because a batch that never fits would otherwise cause one each second
      this.#enter('current');
      this.#failedLoad = 0;
      if (isNew) this.#freshness.served('reload', this.#changedAt);
      this.#changedAt = null;
      if (isCompared) this.#isComparing = false;
      this.#failures.end(readAt);
      this.#finish(request);
      request?.resolve(isNew);
    } catch (error) {
      this.#enter('outdated');
      this.#failedLoad = performance.now() - started;
      if (request) this.#failures.noteReported(error);
      this.#finish(request);
      request?.reject(error);
      throw error;
    }
  }

  /** Waits for a load. Meanwhile, changes of access are served. */
  async #withAccess(load: Promise<LoadedSnapshot>): Promise<LoadedSnapshot> {
    this.#enter('loading');
    if (this.#startAccess) this.#identifyBesideLoad(this.#startAccess);
    this.#startAccess = null;
    try {
      return await load;
    } finally {
      this.#enter('outdated');
      // a change of access that is served later would bring the old content back
      await this.#identified;
    }
  }

  /** A request that came during the load waits for the next one. */
  #finish(request: ReloadRequest | null): void {
    if (this.#request === request) this.#request = null;
  }

  /** Returns the load in progress, or with `isNew` a load that begins now. */
  #takeBegun(isNew: boolean): { load: Promise<LoadedSnapshot>; readAt: number } {
    const begun = this.#begun;
    this.#begun = null;
    if (begun && !isNew) return begun;
    return { load: this.#loadAfter(begun?.load), readAt: this.#now() };
  }

  async #loadAfter(begun: Promise<unknown> | undefined): Promise<LoadedSnapshot> {
    await begun?.catch(() => {});
    await this.#reset;
    return this.#reading.load(this.#options.loading);
  }

  async #fail(error: unknown): Promise<void> {
    if (this.#state === 'closed') return;
    if (error instanceof ReaderGone) this.#enter('outdated');
    this.#failures.add(error);
    // a request that came meanwhile does not wait
    if (this.#request) return;
    // a source whose loads take long gets a pause of the same length
    await this.#retries.wait(this.#failedLoad);
  }
}

import type { Logger } from 'pino';
import type { Batch } from '../changes/batch/batch.ts';
import { diffSnapshots } from '../changes/diff/diff-snapshots.ts';
import type { LoggedChange } from '../changes/log/logged-change.ts';
import { identityOf } from '../content/versions/version.ts';
import { SnapshotError } from '../core/errors.ts';
import { formatNumber } from '../core/problems.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import type { LoadedAccess, LoadedSnapshot, PinnedImage } from '../load/loaded.ts';
import { prepareDigests } from '../store/writer/rows/row-digest.ts';
import { accessFrameOf, frameDifference, isEmpty } from './project/project-frame.ts';
import type { ContentCache } from './source-cache.ts';
import type { SourceFailures, SourceFreshness } from './source-freshness.ts';
import type { SourceChange } from './source-reader.ts';

/** The content that a follower keeps equal to its source. */
export interface FollowedContent {
  /** The latest version, even if another one is pinned. */
  readonly loaded: LoadedSnapshot;
  /** Differs for other content, and for other API tokens. */
  readonly version: string;
  /** Rejects with a SnapshotError if the batch does not fit the content, which then stays as it is. */
  apply(batch: Batch): Promise<void>;
  /** As `ChangeWriter.takeAll`. */
  take(changes: readonly LoggedChange[]): Promise<void>;
  /** Serves an image in place of the latest version in all threads, or the latest version. Rejects with a SnapshotError. */
  pin(pinned: PinnedImage | null): Promise<void>;
  /**
   * Serves other content in all threads. Returns whether its version is new: other tokens and secrets do not count.
   * `started` is a time of `performance.now()`.
   */
  replace(loaded: LoadedSnapshot, started: number): Promise<boolean>;
}

interface UpdateOptions {
  readonly freshness: SourceFreshness;
  readonly failures: SourceFailures;
  readonly cache: ContentCache | null;
  readonly log: Logger;
}

/** Serves what a follower has read, and keeps it in the cache. */
export class ContentUpdates {
  readonly #content: FollowedContent;
  readonly #options: UpdateOptions;
  /** Serves the access that is reported during a load. */
  readonly #reported = new SerialQueue();

  constructor(content: FollowedContent, options: UpdateOptions) {
    this.#content = content;
    this.#options = options;
    this.#keep();
  }

  /** Serves a batch, changes of a log, another pin, or other tokens and secrets. Rejects with a SnapshotError if it does not fit the content. */
  async serve(change: Exclude<SourceChange, { kind: 'reload' }>): Promise<void> {
    const { freshness, log } = this.#options;
    if (change.kind === 'access') await this.#serveAccess(change.access, change.reason);
    else if (change.kind === 'pin') {
      await this.pin(change.pinned);
      log.info(change.reason);
    } else if (change.kind === 'changes') {
      await this.#fit(() => this.#content.take(change.changes));
    } else {
      if (change.reason) log.info(change.reason);
      if (isEmpty(change.batch)) return;
      await this.#fit(() => this.#content.apply(change.batch));
    }
    freshness.served('batch', change.changedAt ?? change.readAt);
  }

  /** As `FollowedContent.pin`. */
  pin(pinned: PinnedImage | null): Promise<void> {
    return this.#content.pin(pinned);
  }

  /** As `FollowedContent.replace`. */
  async replace(loaded: LoadedSnapshot, started: number): Promise<boolean> {
    const isNew = await this.#content.replace(loaded, started);
    // a deleted token does not come back with the next start
    this.#keep(true);
    return isNew;
  }

  /** Logs what the served content lacks of the same content, read again. */
  logDifferences(read: LoadedSnapshot): void {
    const { log } = this.#options;
    const differences = countDifferences(this.#content.loaded, read);
    if (!differences) return log.info('everything was read again, and nothing had been missed');
    const { entries } = differences;
    const missed = entries === 1 ? '1 entry' : `${formatNumber(entries)} entries`;
    log.warn({ ...differences }, `everything was read again: ${missed} had been missed`);
  }

  /** Serves the access that a reader reports during a load, unless it is served already. Logs why it cannot. */
  reportAccess(access: LoadedAccess): void {
    const { failures } = this.#options;
    void this.#reported.run(() => this.#serveReported(access).catch((error) => failures.add(error)));
  }

  /** Resolves when the access that was reported is served. */
  settled(): Promise<void> {
    return this.#reported.run(async () => {});
  }

  async #serveReported(access: LoadedAccess): Promise<void> {
    await prepareDigests();
    const reason = frameDifference(accessFrameOf(this.#content.loaded), accessFrameOf(access));
    if (reason !== null) await this.#serveAccess(access, reason);
  }

  /** Serves the same content with other tokens and secrets. */
  async #serveAccess(access: LoadedAccess, reason: string): Promise<void> {
    await this.replace({ ...this.#content.loaded, ...access }, performance.now());
    this.#options.log.info(`callers are identified anew: ${reason}`);
  }

  /** Makes a change, and keeps the content after it. Names what is wrong in an error. */
  async #fit(make: () => Promise<void>): Promise<void> {
    try {
      await make();
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      const problems = error.problems.map((problem) => `a change does not fit: ${problem}`);
      throw new SnapshotError(problems, error.count, 'batch');
    }
    this.#keep();
  }

  /** Writes the content to the cache, soon or at once. */
  #keep(isUrgent = false): void {
    const { cache, freshness } = this.#options;
    const kept = ({ loaded, version }: FollowedContent) => ({ loaded, version, readAt: freshness.figures.readAt ?? 0 });
    cache?.changed(() => kept(this.#content), isUrgent);
  }
}

/** What differs between the content that is served and the same content read again. */
interface ContentDifferences {
  readonly entries: number;
  /** Differences of types, roles, locales, settings, blocked users and names of uploaded files. */
  readonly others: number;
}

/** Returns null if nothing differs, which takes no work that grows with the entries. */
function countDifferences(served: LoadedSnapshot, read: LoadedSnapshot): ContentDifferences | null {
  if (identityOf(served) === identityOf(read)) return null;
  const { isEqual, entries, types, roles, settings, locales, blockedUsers, uploads } = diffSnapshots(served, read);
  if (isEqual) return null;
  const lists = [locales, blockedUsers, ...(uploads ? [uploads] : [])].flatMap(({ added, removed }) => [
    ...added,
    ...removed,
  ]);
  return { entries: entries.length, others: types.length + roles.length + settings.length + lists.length };
}

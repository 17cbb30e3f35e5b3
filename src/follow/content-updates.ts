import type { Logger } from 'pino';
import type { Batch } from '../changes/batch/batch.ts';
import { SnapshotError } from '../core/errors.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import type { LoadedAccess, LoadedSnapshot } from '../load/loaded.ts';
import { prepareDigests } from '../store/writer/rows/row-digest.ts';
import { type FollowedContent, logDifferences } from './followed-content.ts';
import { accessFrameOf, frameDifference, isEmpty } from './project/project-frame.ts';
import type { SourceFailures, SourceFreshness } from './source-freshness.ts';
import type { SourceChange } from './source-reader.ts';

interface Reports {
  readonly freshness: SourceFreshness;
  readonly failures: SourceFailures;
  readonly log: Logger;
}

/** Serves what a follower has read. */
export class ContentUpdates {
  readonly #content: FollowedContent;
  readonly #reports: Reports;
  /** Changes of access during a load. */
  readonly #reported = new SerialQueue();

  constructor(content: FollowedContent, reports: Reports) {
    this.#content = content;
    this.#reports = reports;
  }

  /** Serves a batch or other tokens and secrets. Rejects with a SnapshotError if the batch does not fit the content. */
  async serve(change: Exclude<SourceChange, { kind: 'reload' }>): Promise<void> {
    const { freshness, log } = this.#reports;
    if (change.kind === 'access') await this.#serveAccess(change.access, change.reason);
    else {
      if (change.reason) log.info(change.reason);
      if (isEmpty(change.batch)) return;
      await this.#apply(change.batch);
    }
    freshness.served('batch', change.changedAt ?? change.readAt);
  }

  /** As `FollowedContent.replace`. */
  replace(loaded: LoadedSnapshot, started: number): Promise<boolean> {
    return this.#content.replace(loaded, started);
  }

  /** Logs what the content had missed, which has been read again. */
  logDifferences(loaded: LoadedSnapshot): void {
    logDifferences(this.#reports.log, this.#content.loaded, loaded);
  }

  /** Serves the access that a reader reports during a load, unless it is served already. Logs why it cannot. */
  reportAccess(access: LoadedAccess): void {
    void this.#reported.run(() => this.#serveReported(access).catch((error) => this.#reports.failures.add(error)));
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

  async #apply(batch: Batch): Promise<void> {
    try {
      await this.#content.apply(batch);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      const problems = error.problems.map((problem) => `a change does not fit: ${problem}`);
      throw new SnapshotError(problems, error.count, 'batch');
    }
  }

  /** Serves the same content with other tokens and secrets. */
  async #serveAccess(access: LoadedAccess, reason: string): Promise<void> {
    await this.#content.replace({ ...this.#content.loaded, ...access }, performance.now());
    this.#reports.log.info(`callers are identified anew: ${reason}`);
  }
}

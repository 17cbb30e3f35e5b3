import { RequestError, SnapshotError } from '../base/errors.ts';
import type { Batch } from '../changes/batch.ts';
import { ConfigError } from '../config/config.ts';
import type { PreparedChange } from '../content/active-snapshot.ts';
import type { Content } from '../content.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';
import { firstVersion, versionText } from '../store/content-version.ts';
import { AnsweredKeys } from './answered-keys.ts';
import { type ChangeAnswer, type ChangeRequest, type RequestKey, staleVersion } from './change-request.ts';
import type { ContentJournal, OpenedContentJournal } from './content-journal.ts';
import { SerialQueue } from './serial-queue.ts';

/** Maximum number of requests that wait. A further one is a 503. */
const maxWaiting = 100;

/** Applies a batch in every other thread that serves the content, which has this version then. */
export type Deliver = (batch: Batch, version: string) => Promise<void>;

export interface ReloadOptions {
  /** When loading began, as `performance.now()` counts. */
  readonly started: number;
  /** Begins the journal anew. */
  readonly discardsChanges: boolean;
  spread?(isNew: boolean): Promise<void>;
}

const otherBase =
  'the snapshot has changed, and the journal holds changes to the one before. Send POST /_reload?changes=discard to serve it without them';

export interface ChangeFigures {
  /** Batches that were applied, and the entries that they wrote or deleted. */
  readonly batches: number;
  readonly entities: number;
  /** Batches that were not applied, by reason. */
  readonly failures: Readonly<Record<'invalid' | 'conflict' | 'journal', number>>;
  readonly sequence: number;
  /** When the last batch was applied, in milliseconds since 1970. Null before the first. */
  readonly lastChange: number | null;
  /** Null without a journal. */
  readonly journal: { readonly bytes: number; readonly failure: string | null } | null;
}

/**
 * Changes one content while it is served: one batch at a time, in the order of the requests. A batch is validated, then
 * written to the journal if there is one, then applied in all threads.
 */
export class ContentChanges {
  readonly #content: Content;
  readonly #deliver: Deliver;
  readonly journal: ContentJournal | null;
  readonly #queue = new SerialQueue();
  readonly #keys = new AnsweredKeys();
  readonly #failures = { invalid: 0, conflict: 0, journal: 0 };
  #waiting = 0;
  #batches = 0;
  #entities = 0;
  #lastChange: number | null = null;

  /** The content has applied the batches of the journal, if there is one. */
  constructor(content: Content, deliver: Deliver, opened: OpenedContentJournal | null = null) {
    this.#content = content;
    this.#deliver = deliver;
    this.journal = opened?.journal ?? null;
    for (const { key, answer } of opened?.answered ?? []) this.#keys.add(key, answer);
  }

  get figures(): ChangeFigures {
    return {
      batches: this.#batches,
      entities: this.#entities,
      failures: { ...this.#failures },
      sequence: this.#content.nextVersion.sequence - 1,
      lastChange: this.#lastChange,
      journal: this.journal && { bytes: this.journal.bytes, failure: this.journal.failure },
    };
  }

  /**
   * Applies changes, and resolves when every thread serves them. A key that was answered before gets that answer again.
   * Rejects with a SnapshotError that lists what is wrong with the changes, or with a RequestError.
   */
  async change(request: ChangeRequest, key: RequestKey | null): Promise<ChangeAnswer> {
    if (this.#waiting >= maxWaiting) {
      throw new RequestError(
        503,
        'ServiceUnavailableError',
        `${maxWaiting} batches wait already: try again in a moment`,
      );
    }
    this.#waiting++;
    try {
      return await this.#queue.run(() => this.#change(request, key));
    } finally {
      this.#waiting--;
    }
  }

  /**
   * Serves a snapshot that was loaded again, between two batches, and returns whether it is a new one, with a new epoch.
   * Changes that are not in it are gone. With a journal, changes stay: a snapshot that equals the one to which they were
   * applied is not new, and another one is refused with a ConfigError, unless the changes are to be discarded. `spread`
   * makes it visible in other threads.
   */
  reload(loaded: LoadedSnapshot, { started, discardsChanges, spread }: ReloadOptions): Promise<boolean> {
    return this.#queue.run(async () => {
      const isNew = this.journal
        ? await this.#reloadWithJournal(this.journal, loaded, started, discardsChanges)
        : this.#content.replace(loaded, started);
      await spread?.(isNew);
      return isNew;
    });
  }

  async #reloadWithJournal(
    journal: ContentJournal,
    loaded: LoadedSnapshot,
    started: number,
    discardsChanges: boolean,
  ): Promise<boolean> {
    const { contentDigest } = loaded.store;
    if (!discardsChanges) {
      if (!journal.belongsTo(contentDigest)) throw new ConfigError(otherBase);
      return this.#content.replace({ ...loaded, version: this.#content.base }, started);
    }
    const { version = firstVersion() } = loaded;
    this.#content.check(loaded);
    await journal.restart({ epoch: version.epoch, version: contentDigest });
    return this.#content.replace({ ...loaded, version }, started, true);
  }

  async #change(request: ChangeRequest, key: RequestKey | null): Promise<ChangeAnswer> {
    const known = key && this.#keys.answerTo(key);
    if (known) return known;
    const { previous } = request;
    const prepared = this.#prepare(request);
    const version = this.#content.nextVersion;
    const answer = { version: versionText(version), sequence: version.sequence };
    await this.#keep({ ...version, previous, changes: prepared.batch }, key, answer);
    this.#content.commit(prepared);
    // the batch counts and is not applied again, even if another thread fails
    if (key) this.#keys.add(key, answer);
    this.#batches++;
    this.#entities += prepared.batch.entities.length;
    this.#lastChange = Date.now();
    await this.#deliver(prepared.batch, answer.version);
    return answer;
  }

  #prepare({ previous, form, given }: ChangeRequest): PreparedChange {
    const { version } = this.#content;
    if (previous !== null && previous !== version) {
      this.#failures.conflict++;
      throw staleVersion(previous, version);
    }
    try {
      return form === 'changes' ? this.#content.prepareJson(given) : this.#content.prepare(given);
    } catch (error) {
      if (error instanceof SnapshotError) this.#failures.invalid++;
      throw error;
    }
  }

  async #keep(...change: Parameters<ContentJournal['append']>): Promise<void> {
    try {
      await this.journal?.append(...change);
    } catch (error) {
      this.#failures.journal++;
      throw error;
    }
  }
}

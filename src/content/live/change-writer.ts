import { JournalError } from '../../changes/journal/errors.ts';
import type { Transaction } from '../../changes/journal/format.ts';
import { leftSuffix } from '../../changes/journal/images.ts';
import type { Journal } from '../../changes/journal/journal.ts';
import type { LoggedChange } from '../../changes/log/logged-change.ts';
import { stateDigest } from '../../changes/log/state-digest.ts';
import { conflict, RequestError, SnapshotError } from '../../core/errors.ts';
import { SerialQueue } from '../../core/serial-queue.ts';
import { runInTurns, type Steps } from '../../core/steps.ts';
import { warnOfError } from '../../core/warn-of-error.ts';
import type { LoadedSnapshot, VersionedSnapshot } from '../../load/loaded.ts';
import { ConfigError } from '../../model/settings/config.ts';
import { firstVersion, nextVersion, versionText } from '../../store/content-version.ts';
import type { Content } from '../content.ts';
import type { Publisher } from '../publishing/publisher.ts';
import type { CompactionFigures } from '../versions/compactions.ts';
import { digestsOf, type MadeChange, madeChangeOf, type PreparedChange } from '../versions/prepared-change.ts';
import type { Version } from '../versions/version.ts';
import { ChangePublication } from './change-publication.ts';
import {
  AnsweredKeys,
  type ChangeAnswer,
  type ChangeRequest,
  type RequestKey,
  staleVersion,
  unkeptChanges,
  WaitingRequests,
} from './change-request.ts';
import { JournalCompaction, type JournalCompactionParts } from './compact-served-journal.ts';
import {
  answeredIn,
  type LoggedTransaction,
  type OpenedContentJournal,
  type RequestedChanges,
  restartJournal,
  transactionOf,
} from './content-journal.ts';
import { type PublishParts, publishedContent } from './published-content.ts';
import { type LeftChange, replayInSteps, shownChange } from './replay-changes.ts';
import { madeComponentsInSteps } from './replayed-components.ts';

/** Sends a change to the other threads. Resolves when all serve its version. */
export type Deliver = (change: MadeChange) => Promise<void>;

export interface ReloadOptions {
  /** When loading began, as `performance.now()` counts. */
  readonly started: number;
  /** What becomes of the changes in the journal if the snapshot is another one. Default: it is refused. */
  readonly changes?: ChangesOfJournal;
  /** As in `VersionHistory.replaceInSteps`. */
  readonly keepsVersion?: boolean;
  spread?(isNew: boolean): Promise<void>;
  /** Called with what became of the changes, if they were replayed. */
  replayed?(report: ReplayReport): void;
}

/** Whether the journal begins anew without its changes, or with those that fit the new snapshot. */
export type ChangesOfJournal = 'discard' | 'replay';

/** What a replay took over and left. */
export interface ReplayReport {
  readonly taken: number;
  /** Changes that do not fit. Null if all do. */
  readonly left: {
    readonly count: number;
    /** The file beside the journal that keeps them, a line each. */
    readonly file: string;
    /** The first of them, large ones only by what names their entry. */
    readonly changes: readonly LeftChange[];
  } | null;
}

/** Changes that a report lists. */
const maxListed = 100;

const otherBase =
  'the snapshot has changed, and the journal holds changes to the one before. Send POST /_reload?changes=replay to take over those that fit, or POST /_reload?changes=discard to serve it without them';

export interface ChangeFigures {
  /** Batches that were applied, and the entries that they wrote or deleted. */
  readonly batches: number;
  readonly entities: number;
  /** Batches that were not applied, by reason. */
  readonly failures: Readonly<Record<'invalid' | 'conflict' | 'published' | 'journal', number>>;
  readonly sequence: number;
  /** When the last batch was applied, in milliseconds since 1970. Null before the first. */
  readonly lastChange: number | null;
  /** Null if the content is not published. `failure` says why the publication does not have it. */
  readonly published: { readonly failure: string | null } | null;
  /** Null without a journal. */
  readonly journal: {
    readonly bytes: number;
    readonly failure: string | null;
    readonly compactions: CompactionFigures;
  } | null;
}

/**
 * Changes one content while it is served: one batch at a time, in the order of the requests. Checks a batch and builds the
 * next store, writes the batch to the journal, serves the store, and sends the change to the other threads.
 */
export class ChangeWriter {
  /** The requests whose changes are made by `change`. */
  readonly waiting = new WaitingRequests();
  readonly #content: Content;
  readonly #deliver: Deliver;
  readonly #journal: Journal | null;
  /** Null without a journal. */
  readonly #compaction: JournalCompaction | null;
  readonly #publication = new ChangePublication();
  readonly #queue = new SerialQueue();
  readonly #keys: AnsweredKeys;
  readonly #failures = { invalid: 0, conflict: 0, published: 0, journal: 0 };
  #batches = 0;
  #entities = 0;
  #lastChange: number | null = null;

  /** The content has applied the batches of the journal, if there is one. */
  constructor(
    content: Content,
    deliver: Deliver,
    opened: OpenedContentJournal | null = null,
    compactions: JournalCompactionParts = {},
  ) {
    this.#content = content;
    this.#deliver = deliver;
    this.#journal = opened?.journal ?? null;
    this.#keys = new AnsweredKeys(opened?.answered);
    this.#compaction = opened && this.#compactionOf(opened.journal, compactions);
    this.#compaction?.applied();
  }

  get figures(): ChangeFigures {
    return {
      batches: this.#batches,
      entities: this.#entities,
      failures: { ...this.#failures },
      sequence: this.#content.history.version.sequence,
      lastChange: this.#lastChange,
      published: this.#publication.figures,
      journal: this.#journal && {
        bytes: this.#journal.bytes,
        failure: this.#journal.failure,
        compactions: this.#compaction!.figures,
      },
    };
  }

  /**
   * Applies changes, and resolves when every thread serves them. A key that was answered before gets that answer again.
   * Rejects with a SnapshotError that lists what is wrong with the changes, or with a RequestError.
   */
  change(request: ChangeRequest, key: RequestKey | null): Promise<ChangeAnswer> {
    return this.#queue.run(() => this.#change(request, key));
  }

  /**
   * Runs a task that applies changes by its argument, which is as `change`. No other change comes between. Rejects if the
   * journal has failed.
   */
  alone<T>(task: (change: ChangeWriter['change']) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      await this.#withJournal(async (journal) => journal.requireWorking());
      return task((request, key) => this.#change(request, key));
    });
  }

  /** Whether changes are kept over a restart. */
  get hasJournal(): boolean {
    return this.#journal !== null;
  }

  /** Returns the answer that a request with this key had, or null. */
  answerTo(key: RequestKey): ChangeAnswer | null {
    return this.#keys.answerTo(key);
  }

  /**
   * Serves a snapshot that was loaded again, between two batches, and returns whether it is a new one, with a new epoch.
   * Changes that are not in it are gone. With a journal, changes stay: a snapshot that equals the one to which they were
   * applied is not new, and another one is refused with a ConfigError, unless the changes are to be discarded or replayed.
   * `spread` makes it visible in other threads.
   */
  reload(loaded: LoadedSnapshot, options: ReloadOptions): Promise<boolean> {
    const { started, spread } = options;
    return this.#queue.run(async () => {
      const isNew = this.#journal
        ? await this.#reloadWithJournal(this.#journal, loaded, options)
        : await runInTurns(this.#content.history.replaceInSteps(loaded, started, options.keepsVersion));
      await spread?.(isNew);
      // other content is served here even where it cannot be published yet
      await this.#publication.settle().catch(() => {});
      return isNew;
    });
  }

  /**
   * Publishes the content from now on: makes content and publication equal, and then each change is published before it is
   * served. Rejects as `Publisher.begin` does.
   */
  publish(publisher: Publisher, parts: PublishParts): Promise<void> {
    const written = {
      history: this.#content.history,
      journal: this.#journal,
      answered: () => this.#keys.all,
      take: (change: LoggedChange) => this.#take(change),
    };
    return this.#publication.begin(publisher, publishedContent(written, parts), (task) => this.#queue.run(task));
  }

  /** Takes what others have published, and publishes again what the publication has lost, between two changes. */
  settlePublication(): Promise<void> {
    return this.#queue.run(() => this.#publication.settle());
  }

  /**
   * Applies changes of a log that follow the latest version. If they can be joined, only the last of their versions is served.
   * Resolves when every thread serves it. Rejects with a SnapshotError if a change does not fit, or leads to another state.
   */
  takeAll(changes: readonly LoggedChange[]): Promise<void> {
    return this.#queue.run(async () => {
      if (changes.length > 1 && (await this.#takeJoined(changes))) return;
      for (const change of changes) await this.#take(change);
    });
  }

  /** Returns false if the changes have to be applied one by one: then it is known which of them does not fit. */
  async #takeJoined(changes: readonly LoggedChange[]): Promise<boolean> {
    const last = changes.at(-1)!;
    const digests = { before: changes[0].digests.before, after: last.digests.after };
    let prepared: PreparedChange | null;
    try {
      prepared = await runInTurns(this.#content.history.prepareJoinedInSteps(changes.map((each) => each.changes)));
      if (prepared) requireExpected({ ...last, digests }, prepared);
    } catch (error) {
      if (error instanceof SnapshotError) return false;
      throw error;
    }
    if (!prepared) return false;
    await runInTurns(this.#serveInSteps(prepared, null, { version: versionText(last), sequence: last.sequence }));
    return true;
  }

  /** Keeps and serves a change of a log. The answer to its request is known if this process has published it. */
  async #take(change: LoggedChange): Promise<void> {
    const { sequence, digests, changes } = change;
    const prepared = await this.#prepare({ previous: null, form: 'batch', given: changes }, new Date().toISOString());
    requireExpected(change, prepared);
    const answer = { version: versionText(change), sequence };
    const other = transactionOf(change, digests, null, prepared.batch, null, answer);
    const kept = await this.#publication.take(change, other, (one) => this.#keep(one));
    const [answered] = answeredIn('of the publication', kept);
    await runInTurns(this.#serveInSteps(prepared, answered?.key ?? null, answered?.answer ?? answer));
  }

  /**
   * Serves one of the last versions from now on, or the latest one if it is null, between two batches. A snapshot has its
   * version, which need not be one of the last. `spread` makes that visible in other threads. Rejects as `Content.pin` throws.
   */
  pin(pinned: string | VersionedSnapshot | null, spread: () => Promise<void>): Promise<void> {
    const { history } = this.#content;
    return this.#queue.run(async () => {
      await this.#publication.pin(typeof pinned === 'string' ? history.find(pinned).loaded : pinned);
      if (pinned === null) this.#content.unpin();
      else if (typeof pinned === 'string') await runInTurns(history.pinInSteps(pinned));
      else await runInTurns(history.holdInSteps({ loaded: pinned }));
      await spread();
    });
  }

  async #reloadWithJournal(journal: Journal, loaded: LoadedSnapshot, options: ReloadOptions): Promise<boolean> {
    const { started, changes } = options;
    const { history } = this.#content;
    if (changes !== 'discard' && stateDigest(loaded) === journal.given) {
      history.keepLatest(loaded);
      return false;
    }
    if (!changes) throw new ConfigError(otherBase);
    // a journal that begins anew begins an epoch
    const version = loaded.version?.sequence === 0 ? loaded.version : firstVersion();
    if (changes === 'replay') return this.#replay(journal, loaded, version.epoch, options);
    const prepared = await runInTurns(history.prepareSnapshotInSteps({ ...loaded, version }, started));
    await this.#restart(journal, loaded, prepared);
    return true;
  }

  /** Takes over the changes of the journal that fit a snapshot. Nothing changes unless the new journal is on disk. */
  async #replay(
    journal: Journal,
    given: LoadedSnapshot,
    epoch: number,
    { started, replayed }: ReloadOptions,
  ): Promise<boolean> {
    const { history } = this.#content;
    const { base, path } = journal;
    if (base.image !== null) throw conflict(compactedBase(path, base.image));
    try {
      const transactions = await journal.transactions();
      const {
        loaded,
        transactions: kept,
        taken,
        left,
      } = await runInTurns(replayInSteps(path, transactions, given, epoch, history.settings));
      const prepared = await runInTurns(history.prepareSnapshotInSteps(loaded, started));
      const suffix = leftSuffix({ epoch: base.epoch, sequence: journal.sequence });
      if (left.length > 0) await journal.writeBeside(suffix, linesOf(left));
      await this.#restart(journal, given, prepared, kept);
      const file = `${path}${suffix}`;
      replayed?.({
        taken,
        left:
          left.length === 0 ? null : { count: left.length, file, changes: left.slice(0, maxListed).map(shownChange) },
      });
      return true;
    } catch (error) {
      throw unkeptChanges(error);
    }
  }

  /** Begins the journal anew with a snapshot and changes to it, and serves what they lead to. */
  async #restart(
    journal: Journal,
    given: LoadedSnapshot,
    prepared: Version,
    changes: readonly Transaction[] = [],
  ): Promise<void> {
    // not awaited: its last step waits in this queue
    void this.#compaction!.abandon();
    await restartJournal(journal, given, prepared.loaded.version.epoch, this.#keys.all, changes);
    this.#content.history.replaceBy(prepared);
  }

  /** Publishes no more, and closes the journal, after appends in progress. A compaction is abandoned. */
  async close(): Promise<void> {
    await this.#publication.close();
    await this.#compaction?.close();
    await this.#journal?.close();
  }

  async #change(request: ChangeRequest, key: RequestKey | null): Promise<ChangeAnswer> {
    const known = key && this.#keys.answerTo(key);
    if (known) return known;
    await this.#withJournal(async (journal) => journal.requireWorking());
    // it may have been this request whose outcome was unknown
    const settled = (await this.#publication.settleUnknown()) && key && this.#keys.answerTo(key);
    if (settled) return settled;
    const { previous } = request;
    const at = new Date().toISOString();
    const prepared = await this.#prepare(request, at);
    const version = nextVersion(this.#content.history.version);
    const { pinned } = this.#content;
    const answer = {
      version: versionText(version),
      sequence: version.sequence,
      ...(pinned && { pinned: pinned.version }),
      ...(prepared.unlinked.count > 0 && { unlinked: prepared.unlinked }),
    };
    const requested = await this.#requestedBy(request, at, prepared);
    const transaction = transactionOf(version, digestsOf(prepared), previous, prepared.batch, key, answer, requested);
    await this.#append(transaction);
    await runInTurns(this.#serveInSteps(prepared, key, answer));
    this.#publication.changed();
    return answer;
  }

  /** Writes a change to the log of the publication, and then to the journal. */
  async #append(transaction: LoggedTransaction): Promise<void> {
    let isPublished = false;
    try {
      await this.#publication.append(transaction, () => {
        isPublished = true;
        return this.#keep(transaction);
      });
    } catch (error) {
      if (!isPublished) this.#failures.published++;
      throw error;
    }
  }

  #keep(transaction: LoggedTransaction): Promise<void> {
    return this.#withJournal((journal) => journal.append([transaction]), this.#publication.figures !== null);
  }

  /**
   * Serves a batch that is kept, and delivers it in the turn in which this thread serves it: a thread that starts gets the
   * content before that, and then the batch, or the content with it.
   */
  *#serveInSteps(prepared: PreparedChange, key: RequestKey | null, answer: ChangeAnswer): Steps<Promise<void>> {
    let made: PreparedChange;
    try {
      made = yield* this.#content.history.commitInSteps(prepared);
    } catch (error) {
      process.emitWarning(error as Error);
      throw this.#journal ? refuseAfter(this.#journal, answer.version, error as Error) : error;
    }
    // the batch counts and is not applied again, even if another thread fails
    if (key) this.#keys.add(key, answer);
    this.#batches++;
    this.#entities += prepared.batch.entities.length;
    this.#lastChange = Date.now();
    warnOfError(() => this.#compaction?.applied());
    return this.#deliver(madeChangeOf(made));
  }

  /** What a journal keeps of changes for another snapshot. Nothing of a batch, which names rows by their ids. */
  async #requestedBy(
    { form, given }: ChangeRequest,
    at: string,
    { from, batch }: PreparedChange,
  ): Promise<RequestedChanges | undefined> {
    if (!this.#journal || form === 'batch') return undefined;
    const made = await runInTurns(madeComponentsInSteps(from.loaded.store, batch));
    return { changes: given as unknown[], at, made };
  }

  async #prepare({ previous, form, given }: ChangeRequest, at: string): Promise<PreparedChange> {
    const version = versionText(this.#content.history.version);
    if (previous !== null && previous !== version) {
      this.#failures.conflict++;
      throw staleVersion(previous, version, this.#content.pinned !== null);
    }
    try {
      const { history } = this.#content;
      return await runInTurns(history.prepareInSteps(given, form, at));
    } catch (error) {
      if (error instanceof SnapshotError) this.#failures.invalid++;
      else if (error instanceof RequestError) this.#failures.conflict++;
      throw error;
    }
  }

  #compactionOf(journal: Journal, parts: JournalCompactionParts): JournalCompaction {
    const compacted = {
      history: this.#content.history,
      journal,
      answered: () => this.#keys.all,
      between: (task: () => Promise<void>) => this.#queue.run(task),
    };
    return new JournalCompaction(compacted, parts);
  }

  /** Does nothing without a journal. Rejects with the error of a request that the journal rejects, as `unkeptChanges`. */
  async #withJournal(use: (journal: Journal) => Promise<void>, isPublished = false): Promise<void> {
    try {
      if (this.#journal) await use(this.#journal);
    } catch (error) {
      this.#failures.journal++;
      throw unkeptChanges(error, isPublished);
    }
  }
}

/** Throws a SnapshotError unless a prepared change leads to the state of a change of a log, from the same content. */
function requireExpected(change: Omit<LoggedChange, 'changes'>, { from, count, loaded }: PreparedChange): void {
  const { before, after } = change.digests;
  const version = nextVersion(from.engine.version, count);
  const problems = [
    ['the version', versionText(version), versionText(change)],
    ['the digest before', stateDigest(from.loaded), before],
    ['the digest', stateDigest(loaded), after],
  ].flatMap(([what, found, wanted]) => (found === wanted ? [] : [`${what} is ${found}, expected ${wanted}`]));
  if (problems.length > 0) throw new SnapshotError(problems, problems.length, 'batch');
}

/** Yields the lines of a file that keeps changes. */
function* linesOf(left: readonly LeftChange[]): Generator<Buffer> {
  for (const { change } of left) yield Buffer.from(`${JSON.stringify(change)}\n`);
}

function compactedBase(path: string, image: string): string {
  return `the journal ${path} was compacted: the changes in its image ${image} are known only with the content that they led to, and cannot be replayed. "lectern export SNAPSHOT --journal ${path} --out FOLDER" writes them with the snapshot before. POST /_reload?changes=discard serves the new snapshot without them`;
}

/** Lets a journal accept no more batches, because its last one cannot be served. Returns the error of the request. */
function refuseAfter(journal: Journal, version: string, { message }: Error): RequestError {
  const reason = `the journal ${journal.path} holds the batch ${version}, which could not be served: ${message}. A restart tries it again. POST /_reload?changes=discard serves the snapshot without the changes of the journal`;
  journal.refuse(new JournalError(reason));
  return new RequestError(503, 'ServiceUnavailableError', `The changes are kept, but not served: ${reason}`);
}

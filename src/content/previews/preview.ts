import { setImmediate as nextTurn } from 'node:timers/promises';
import { conflict, RequestError } from '../../core/errors.ts';
import { SerialQueue } from '../../core/serial-queue.ts';
import { runInTurns } from '../../core/steps.ts';
import type { AwaitedContent } from '../../http/at-least.ts';
import type { Config } from '../../model/settings/config.ts';
import { versionText } from '../../store/content-version.ts';
import type { Content } from '../content.ts';
import { settingsOf } from '../registry/put-content.ts';
import { ChangeFeed } from '../versions/change-feed.ts';
import type { Version } from '../versions/version.ts';
import { type KnownValues, withKnownInSteps } from './known-values.ts';
import {
  asConflict,
  type MadePreview,
  type PreviewFacts,
  PreviewMaker,
  type PreviewParts,
  type PutPreview,
} from './made-preview.ts';
import { fileOfInSteps, type PreviewChanges, packFileInSteps } from './preview-changes.ts';

/** Bytes of an open preview besides its buffers: objects over them and derived structures. Measured: 240 KiB. */
const overheadBytes = 2 ** 18;

const noFacts: PreviewFacts = { version: null, entries: null, bytes: null, error: null };

/** The outcome of making the content: base and changes, and the preview or the error. */
interface Attempt extends Pick<MadePreview, 'over' | 'changes'> {
  readonly result: MadePreview | Error;
}

/** The next request makes the content. */
interface Closed {
  readonly kind: 'closed';
}

/** The content is being made. It is kept if base and changes are still the same when it is done. */
interface Making extends Pick<Attempt, 'over' | 'changes'> {
  readonly kind: 'making';
  readonly done: Promise<Attempt>;
}

/** The content answers requests. */
interface Open {
  readonly kind: 'open';
  readonly attempt: Attempt;
  /** Stops listening to the base. */
  end(): void;
}

const closed: Closed = { kind: 'closed' };

/**
 * The content that a base serves now, with changes of its own. It shares the rows of the base.
 *
 * A preview is closed, making or open. The first request makes the content, with turns of the event loop between steps
 * of some milliseconds. The preview closes when its base or its changes differ, and to free memory. A closed preview
 * holds only its changes.
 */
export class Preview implements AwaitedContent {
  readonly put: PutPreview;
  readonly settings: Config;
  readonly maker: PreviewMaker;
  readonly #parts: PreviewParts;
  #changes: PreviewChanges;
  #state: Closed | Making | Open = closed;
  /** Runs one attempt at a time. */
  readonly #attempts = new SerialQueue();
  /** The attempt that waits for the current one, then takes the base and the changes of that time. */
  #next: Promise<Attempt> | null = null;
  /** Tells listeners that the preview has other changes. */
  readonly #taken = new ChangeFeed();
  /** Gives each waiting request a turn of its own. */
  readonly #turns = new SerialQueue();
  #facts: PreviewFacts = noFacts;
  /** The one error of all requests without a base. */
  #withoutBase: RequestError | null = null;

  constructor(put: PutPreview, changes: PreviewChanges, parts: PreviewParts) {
    this.put = put;
    this.settings = settingsOf(put, parts.settings);
    this.maker = new PreviewMaker(put, this.settings, parts);
    this.#parts = parts;
    this.#changes = changes;
  }

  /** The settings of the process. */
  get given(): Config {
    return this.#parts.settings;
  }

  get changes(): PreviewChanges {
    return this.#changes;
  }

  /** Replaces the changes. `made` is the content with them, if it is known. */
  take(changes: PreviewChanges, made: MadePreview | null = null): void {
    this.#changes = changes;
    this.release();
    if (made) {
      this.#facts = made.facts;
      if (this.#isCurrent(made)) this.#keep({ over: made.over, changes, result: made });
    }
    if (this.baseProblem === null) this.#taken.publish({ version: this.version, stale: null });
  }

  /** The version of the next reply, as in the header `X-Lectern-Version`. Throws as `base` does. */
  get version(): string {
    return this.#versionOver(this.base.history.active);
  }

  /** The version if the base served its latest one. */
  get latestVersion(): string {
    return this.#versionOver(this.base.history.latest);
  }

  onServed(listener: () => void): () => void {
    const ends = [this.base.onServed(listener), this.#taken.listen(listener)];
    return () => ends.forEach((end) => void end());
  }

  #versionOver(version: Version): string {
    return versionText(this.maker.versionOver(version, this.#changes.revision));
  }

  /**
   * Calls `run` with the content over what the base serves at some time since this call, or with why there is none: a
   * RequestError with status 409 if the changes do not fit the base. Calls it now, or in a turn of the event loop of
   * its own. Calls `fail` with what `run` throws in a later turn.
   */
  whenOpen(run: (opened: Content | Error) => void, fail: (error: unknown) => void): void {
    const known = this.#known();
    if (known) run(openedBy(known));
    else this.#runLater(run).catch(fail);
  }

  /**
   * Resolves with the preview over what the base serves at some time since the call. Rejects with a RequestError with
   * status 409 if the changes do not fit.
   */
  async open(): Promise<MadePreview> {
    const { result } = this.#known() ?? (await this.#makeOnce());
    if (result instanceof Error) throw result;
    return result;
  }

  /**
   * Throws a RequestError if it is not known whether the base has the pending changes: its journal has failed, and only
   * the next start reads it.
   */
  requireSettled(): void {
    if (!this.#changes.pending) return;
    const { name, preview } = this.put;
    throw conflict(
      `It is not known whether "${preview.base}" has changes of the preview "${name}", because its journal has failed: restart the server first`,
    );
  }

  /** Why there is no base, or null. */
  get baseProblem(): string | null {
    const { name, preview } = this.put;
    if (this.#parts.baseOf(preview.base)?.content) return null;
    return `The preview "${name}" has no base: there is no content "${preview.base}", or it could not be loaded`;
  }

  /** The base. Throws a RequestError with status 409 if there is none. */
  get base(): Content {
    const content = this.#parts.baseOf(this.put.preview.base)?.content;
    if (content) return content;
    // an open preview holds the store of the base, and requests may still come
    this.release();
    this.#withoutBase ??= conflict(this.baseProblem!);
    throw this.#withoutBase;
  }

  /**
   * Makes the content of changes that were put, and does not keep it. Adds to the changes what the base shows where they
   * change it. Rejects as `PreviewMaker` throws, and with a RequestError without a base.
   */
  async check(): Promise<void> {
    const over = this.base.history.active;
    const { facts } = await runInTurns(this.maker.makeInSteps(this.#changes, over));
    this.#facts = facts;
    const file = await runInTurns(fileOfInSteps(this.#changes));
    let known: KnownValues = {};
    for (const list of file.lists) known = await runInTurns(withKnownInSteps(known, list, over.loaded));
    this.#changes = await runInTurns(packFileInSteps({ ...file, known }));
  }

  /** Closes the preview. Content that is being made answers the waiting requests, and is not kept. */
  release(): void {
    if (this.#state.kind === 'open') this.#state.end();
    this.#state = closed;
    this.#parts.open.remove(this);
  }

  /** The facts of the last attempt. Nulls before the first. */
  get facts(): PreviewFacts {
    const error = this.baseProblem;
    return error === null ? this.#facts : { ...noFacts, error };
  }

  /** Returns the open attempt if base and changes are still the same, and records its use. */
  #known(): Attempt | null {
    if (this.#state.kind !== 'open' || !this.#isCurrent(this.#state.attempt)) return null;
    this.#use(this.#state.attempt);
    return this.#state.attempt;
  }

  #isCurrent({ over, changes }: Pick<Attempt, 'over' | 'changes'>): boolean {
    return changes === this.#changes && over === this.#parts.baseOf(this.put.preview.base)?.content?.history.active;
  }

  /**
   * Resolves with an attempt on the base and the changes of some time since the call. Callers share the current
   * attempt, or the next one if the current one is outdated. Rejects with a RequestError if there is no base.
   */
  #makeOnce(): Promise<Attempt> {
    if (this.#state.kind === 'making' && this.#isCurrent(this.#state)) return this.#state.done;
    this.#next ??= this.#attempts.run(() => {
      this.#next = null;
      return this.#make();
    });
    return this.#next;
  }

  async #make(): Promise<Attempt> {
    const known = this.#known();
    if (known) return known;
    const over = this.base.history.active;
    this.release();
    const changes = this.#changes;
    const making: Making = { kind: 'making', over, changes, done: this.#attempt(over, changes) };
    this.#state = making;
    const attempt = await making.done;
    if (this.#state !== making) return attempt;
    this.#state = closed;
    if (this.#isCurrent(attempt)) this.#keep(attempt);
    return attempt;
  }

  async #attempt(over: Version, changes: PreviewChanges): Promise<Attempt> {
    const result = await runInTurns(this.maker.makeInSteps(changes, over)).catch((error) =>
      asConflict(this.put, error),
    );
    this.#facts = result instanceof Error ? { ...noFacts, error: result.message } : result.facts;
    return { over, changes, result };
  }

  async #runLater(run: (opened: Content | Error) => void): Promise<void> {
    let attempt: Attempt;
    try {
      attempt = await this.#makeOnce();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return run(error);
    }
    await this.#turns.run(() => nextTurn());
    run(openedBy(attempt));
  }

  /**
   * Opens the preview until its base changes. After an internal error it stays closed, and the next request tries
   * again.
   */
  #keep(attempt: Attempt): void {
    if (attempt.result instanceof Error && !(attempt.result instanceof RequestError)) return;
    const { changes } = this.base.history.served;
    const release = () => this.release();
    const ends = [changes.listen(release), changes.listenToRebases(release)];
    this.#state = { kind: 'open', attempt, end: () => ends.forEach((endOne) => void endOne()) };
    this.#use(attempt);
  }

  #use({ result }: Attempt): void {
    if (!(result instanceof Error)) this.#parts.open.use(this, overheadBytes + result.facts.bytes!);
  }
}

function openedBy({ result }: Attempt): Content | Error {
  return result instanceof Error ? result : result.content;
}

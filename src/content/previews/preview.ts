import { setImmediate as nextTurn } from 'node:timers/promises';
import { conflict, RequestError } from '../../core/errors.ts';
import { SerialQueue } from '../../core/serial-queue.ts';
import { runInTurns, type Steps } from '../../core/steps.ts';
import type { Catalog } from '../../engine/catalog.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { Config } from '../../model/settings/config.ts';
import { showDraftsInSteps } from '../../store/drafts/show-drafts.ts';
import { Content } from '../content.ts';
import { settingsOf } from '../registry/put-content.ts';
import type { ActiveSnapshot } from '../versions/active-snapshot.ts';
import { changeLoadedByJsonInSteps } from '../versions/change-loaded.ts';
import { LatestRuns } from './latest-runs.ts';
import {
  asConflict,
  type MadePreview,
  type PreviewFacts,
  type PreviewParts,
  type PutPreview,
  readFactsInSteps,
} from './made-preview.ts';
import { listsInSteps, type PreviewChanges } from './preview-changes.ts';

/** The catalog of previews that show drafts, by the catalog of their base. They share prepared queries. */
const draftCatalogs = new WeakMap<Catalog, Catalog>();

/** Bytes of an open preview besides its buffers: objects over them and derived structures. Measured: 240 KiB. */
const overheadBytes = 2 ** 18;

const unavailable = 'The preview is being made: try again in a moment';

const noFacts: PreviewFacts = { version: null, entries: null, bytes: null, error: null };

/** A state of the base and of the changes. */
type PreviewState = Pick<MadePreview, 'over' | 'changes'>;

/** A preview that is made, or why it could not be. */
type Attempt = PreviewState & { readonly result: MadePreview | Error };

/** What is shown now. */
interface Opened {
  readonly attempt: Attempt;
  /** Ends the calls of the base. */
  end(): void;
}

/**
 * A content that is what another one serves now, with changes of its own. It shares the store of the base. It is made
 * when it is asked for, if the base or the changes are others than before, with turns of the event loop between steps of
 * some milliseconds. Until then it holds only its changes.
 */
export class Preview {
  readonly put: PutPreview;
  readonly settings: Config;
  readonly #parts: PreviewParts;
  #changes: PreviewChanges;
  #opened: Opened | null = null;
  /** The attempt that answers the current waiting request. */
  #answering: Attempt | null = null;
  readonly #attempts = new LatestRuns(
    () => ({ over: this.base.served.active, changes: this.#changes }),
    (state: PreviewState) => this.#isCurrent(state),
    (state) => this.#attempt(state),
  );
  /** How often the content was dropped. */
  #releases = 0;
  /** Gives each waiting request a turn of its own. */
  readonly #turns = new SerialQueue();
  #facts: PreviewFacts = noFacts;

  constructor(put: PutPreview, changes: PreviewChanges, parts: PreviewParts) {
    this.put = put;
    this.settings = settingsOf(put, parts.settings);
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

  /** Has these changes from now on. `made` is what they lead to, if that is known. */
  take(changes: PreviewChanges, made: MadePreview | null = null): void {
    this.#changes = changes;
    this.release();
    if (!made) return;
    this.#facts = made.facts;
    if (this.#isCurrent(made)) this.#keep({ over: made.over, changes, result: made });
  }

  /**
   * Calls `run` when `content` is over what the base serves at some time since this call: now, or in a turn of the event
   * loop of its own. Calls `fail` with what `run` throws in a later turn.
   */
  whenOpen(run: () => void, fail: (error: unknown) => void): void {
    if (this.#known()) run();
    else this.#runLater(run).catch(fail);
  }

  /** The content, within `whenOpen`. Throws a RequestError with status 409 if the changes do not fit the base. */
  get content(): Content {
    const attempt = this.#answering ?? this.#opened?.attempt;
    if (!attempt) {
      const { baseProblem } = this;
      throw baseProblem ? conflict(baseProblem) : new RequestError(503, 'ServiceUnavailableError', unavailable);
    }
    if (attempt.result instanceof Error) throw attempt.result;
    return attempt.result.content;
  }

  /**
   * Resolves with the preview over what the base serves at some time since the call. Rejects with a RequestError with
   * status 409 if the changes do not fit.
   */
  async open(): Promise<MadePreview> {
    const { result } = this.#known() ?? (await this.#attempts.get());
    if (result instanceof Error) throw result;
    return result;
  }

  /** Why it has no base, or null. */
  get baseProblem(): string | null {
    const { name, preview } = this.put;
    if (this.#parts.baseOf(preview.base)?.content) return null;
    return `The preview "${name}" has no base: there is no content "${preview.base}", or it could not be loaded`;
  }

  /** The content that it is based on. Throws a RequestError with status 409 if there is none. */
  get base(): Content {
    const content = this.#parts.baseOf(this.put.preview.base)?.content;
    if (content) return content;
    // it may be asked for again and again, and would keep the store of a base that is gone
    this.release();
    throw conflict(this.baseProblem!);
  }

  /**
   * Makes the content with the given changes over a state of the base, and does not keep it. Throws a SnapshotError or a
   * ConfigError if they do not fit, and a RequestError without a base.
   */
  *makeInSteps(changes = this.#changes, over = this.base.served.active): Steps<MadePreview> {
    let { loaded } = over;
    for (const list of yield* listsInSteps(changes)) {
      yield;
      loaded = yield* changeLoadedByJsonInSteps(loaded, list, this.settings);
    }
    yield;
    return yield* this.finishInSteps(loaded, changes, over);
  }

  /** Makes the content of what changes have led to. */
  *finishInSteps(loaded: LoadedSnapshot, changes: PreviewChanges, over: ActiveSnapshot): Steps<MadePreview> {
    const { put, settings } = this;
    const { catalog, version: ofBase } = over.engine;
    const showsSame = settings.drafts === this.given.drafts;
    // greater after every change of the base, and of the preview
    const version = { epoch: Math.max(ofBase.epoch, put.preview.epoch), sequence: ofBase.sequence + changes.revision };
    const earlier = showsSame ? { store: over.loaded.store, shown: over.engine.store } : null;
    const shown = settings.drafts ? yield* showDraftsInSteps(loaded.store, earlier) : loaded.store;
    const content = new Content({ ...loaded, version, warnings: [] }, settings, performance.now(), {
      extension: this.#parts.extension,
      catalog: showsSame ? catalog : draftCatalogs.get(catalog),
      shown,
      compactions: { limits: null },
      versionCount: 1,
    });
    if (!showsSame) draftCatalogs.set(catalog, content.served.active.engine.catalog);
    yield;
    const facts = yield* readFactsInSteps(content, over, changes);
    return { over, changes, content, facts };
  }

  /** Rejects as `make` throws. */
  async check(): Promise<void> {
    const { facts } = await runInTurns(this.makeInSteps());
    this.#facts = facts;
  }

  /** Drops the content until it is asked for again. */
  release(): void {
    this.#opened?.end();
    this.#opened = null;
    this.#releases++;
    this.#parts.open.remove(this);
  }

  /** As it was made last. Nulls before that. */
  get facts(): PreviewFacts {
    const error = this.baseProblem;
    return error === null ? this.#facts : { ...noFacts, error };
  }

  /** Returns what is opened, if the base and the changes are still the same. Records that it is used. */
  #known(): Attempt | null {
    const attempt = this.#opened?.attempt;
    if (!attempt || !this.#isCurrent(attempt)) return null;
    this.#use(attempt);
    return attempt;
  }

  #isCurrent({ over, changes }: Pick<Attempt, 'over' | 'changes'>): boolean {
    return changes === this.#changes && over === this.#parts.baseOf(this.put.preview.base)?.content?.served.active;
  }

  async #attempt(state: PreviewState): Promise<Attempt> {
    const releases = this.#releases;
    const result = await runInTurns(this.makeInSteps(state.changes, state.over)).catch((error) =>
      asConflict(this.put, error),
    );
    this.#facts = result instanceof Error ? { ...noFacts, error: result.message } : result.facts;
    const attempt = { ...state, result };
    if (this.#releases === releases && this.#isCurrent(state)) this.#keep(attempt);
    return attempt;
  }

  async #runLater(run: () => void): Promise<void> {
    let attempt: Attempt;
    try {
      attempt = await this.#attempts.get();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      // the base is gone, as `content` tells
      return run();
    }
    await this.#turns.run(() => nextTurn());
    this.#answering = attempt;
    try {
      run();
    } finally {
      this.#answering = null;
    }
  }

  #keep(attempt: Attempt): void {
    if (attempt.result instanceof Error && !(attempt.result instanceof RequestError)) return;
    const { changes } = this.base.served.versions;
    const release = () => this.release();
    const ends = [changes.listen(release), changes.listenToRebases(release)];
    this.#opened = { attempt, end: () => ends.forEach((endOne) => void endOne()) };
    this.#use(attempt);
  }

  #use({ result }: Attempt): void {
    if (!(result instanceof Error)) this.#parts.open.use(this, overheadBytes + result.facts.bytes!);
  }
}

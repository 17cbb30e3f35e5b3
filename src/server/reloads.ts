import type { Logger } from 'pino';
import { messageOf, SnapshotError } from '../core/errors.ts';
import { loading } from '../http/error-replies.ts';
import { ConfigError } from '../model/settings/config.ts';
import { collectGarbage } from './node-internals.ts';

/** What causes a reload. */
export type ReloadCause = 'request' | 'SIGHUP' | 'watch';

/** The content that is served after a reload. */
export interface Reloaded {
  /** Whether it differs from the content before. */
  readonly isNew: boolean;
  /** The digest of the content. */
  readonly version: string;
  readonly entries: number;
  /** The version that is served, if it is pinned. */
  readonly pinned?: string;
}

export interface ReloadReport extends Reloaded {
  readonly milliseconds: number;
}

/** A reload that failed, with the reason in words. */
export interface ReloadFailure {
  /** ISO 8601. */
  readonly failedAt: string;
  readonly error: string;
}

export interface ReloadFigures {
  /** Reloads by result. */
  readonly counts: Readonly<Record<'replaced' | 'unchanged' | 'failed', number>>;
  /** Duration of the last reload; null before the first. */
  readonly milliseconds: number | null;
  /** Null unless the last reload failed. */
  readonly failure: ReloadFailure | null;
}

/** Loads content again and serves it. With a journal, changes to the content before are kept unless they are discarded. */
type Load = (discardsChanges: boolean) => Promise<Reloaded>;

/** Loads content again, one reload at a time, and keeps the results for the log, the metrics and `/_ready`. */
export class Reloads {
  readonly #log: Logger;
  readonly #counts = { replaced: 0, unchanged: 0, failed: 0 };
  #load: Load | null = null;
  #milliseconds: number | null = null;
  #failure: ReloadFailure | null = null;
  #running: Promise<unknown> | null;
  /** The run that follows the one in progress. */
  #next: Promise<ReloadReport> | null = null;
  /** Whether a failure of that run is logged as an error, because one of its callers will not retry. */
  #isNextFinal = false;
  #begin!: () => void;

  constructor(log: Logger) {
    this.#log = log;
    this.#running = new Promise<void>((resolve) => (this.#begin = resolve));
  }

  /** Allows reloads, once content is served. Runs the reloads that were scheduled before. */
  begin(load: Load): void {
    this.#load = load;
    this.#running = null;
    this.#begin();
  }

  get figures(): ReloadFigures {
    return { counts: { ...this.#counts }, milliseconds: this.#milliseconds, failure: this.#failure };
  }

  /** Returns why no reload can begin now, or null. */
  get busy(): string | null {
    if (!this.#load) return loading;
    return this.#running || this.#next ? 'A reload is in progress: try again when it has ended' : null;
  }

  /**
   * Reloads after the reload in progress. Callers who arrive during a reload share the next one. Logs a failure and
   * rejects with it. Without `isFinal`, the failure is logged as a warning, because the caller tries again.
   */
  schedule(cause: ReloadCause, { isFinal = true } = {}): Promise<ReloadReport> {
    if (this.busy === null) return this.run(cause, { isFinal });
    this.#isNextFinal ||= isFinal;
    this.#next ??= this.#runNext(cause);
    return this.#next;
  }

  async #runNext(cause: ReloadCause): Promise<ReloadReport> {
    await this.#running?.catch(() => {});
    const isFinal = this.#isNextFinal;
    this.#next = null;
    this.#isNextFinal = false;
    return this.run(cause, { isFinal });
  }

  /** Reloads now. Must not be called while `busy`. */
  async run(cause: ReloadCause, { isFinal = true, discardsChanges = false } = {}): Promise<ReloadReport> {
    const started = performance.now();
    const loading = this.#load!(discardsChanges);
    this.#running = loading;
    try {
      const reloaded = await loading;
      const milliseconds = this.#finish(started, reloaded.isNew ? 'replaced' : 'unchanged', null);
      const { isNew, ...loaded } = reloaded;
      const message = isNew ? newContent(loaded) : 'the content has not changed';
      this.#log.info({ cause, ...loaded, milliseconds }, message);
      return { ...reloaded, milliseconds };
    } catch (error) {
      if (isFinal) this.#fail(cause, started, error);
      else this.#log.warn({ cause }, `the snapshot does not load, and is tried again: ${messageOf(error)}`);
      throw error;
    } finally {
      this.#running = null;
      setImmediate(collectGarbage);
    }
  }

  #fail(cause: ReloadCause, started: number, error: unknown): void {
    const reason = messageOf(error);
    const milliseconds = this.#finish(started, 'failed', { failedAt: new Date().toISOString(), error: reason });
    const isExpected = error instanceof SnapshotError || error instanceof ConfigError;
    const details = { cause, milliseconds, ...(isExpected ? {} : { err: error }) };
    this.#log.error(details, `the reload failed, and the old content is still served: ${reason}`);
  }

  #finish(started: number, result: keyof ReloadFigures['counts'], failure: ReloadFailure | null): number {
    this.#counts[result]++;
    this.#milliseconds = Math.round(performance.now() - started);
    this.#failure = failure;
    return this.#milliseconds;
  }
}

function newContent({ pinned }: Pick<Reloaded, 'pinned'>): string {
  return pinned === undefined ? 'new content is served' : 'new content is loaded, but another version is pinned';
}

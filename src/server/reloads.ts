import type { Logger } from 'pino';
import type { ChangesOfJournal, ReplayReport } from '../content/live/change-writer.ts';
import { messageOf, RequestError, SnapshotError } from '../core/errors.ts';
import { SerialQueue } from '../core/serial-queue.ts';
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
  /** What became of the changes in the journal, if they were replayed. */
  readonly replayed?: ReplayReport;
}

export interface ReloadReport extends Reloaded {
  readonly milliseconds: number;
}

/** A failed reload. */
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
  /** The last failure of a content that has not been loaded since, or null. */
  readonly failure: ReloadFailure | null;
}

/** Loads a content again and serves it. With a journal, `changes` says what becomes of the changes to the content before. */
type Load = (content: string, changes: ChangesOfJournal | undefined) => Promise<Reloaded>;

interface ReloadOptions {
  /** The content to load. Default: all, one after the other. */
  readonly content?: string;
  /** Default: true. Otherwise a failure is logged as a warning, because the caller tries again. */
  readonly isFinal?: boolean;
  readonly changes?: ChangesOfJournal;
}

/** A reload that has not begun, and that all its callers share. */
interface WaitingReload {
  readonly report: Promise<ReloadReport>;
  /** Whether a failure is logged as an error, because one of the callers will not try again. */
  isFinal: boolean;
}

/** Loads contents again, one reload at a time, and keeps the results for the log, the metrics and `/_ready`. */
export class Reloads {
  readonly #log: Logger;
  readonly #counts = { replaced: 0, unchanged: 0, failed: 0 };
  readonly #queue = new SerialQueue();
  /** Reloads that follow the one in progress, by content; null stands for all. */
  readonly #waiting = new Map<string | null, WaitingReload>();
  /** The last failure of each content that has not been loaded since. */
  readonly #failures = new Map<string, ReloadFailure>();
  #contents: readonly string[] = [];
  #load: Load | null = null;
  #milliseconds: number | null = null;
  #isRunning = false;
  #begin!: () => void;

  constructor(log: Logger) {
    this.#log = log;
    const begun = new Promise<void>((resolve) => (this.#begin = resolve));
    void this.#queue.run(() => begun);
  }

  /** Allows reloads, once these contents are served. Runs the reloads that were scheduled before. */
  begin(contents: readonly string[], load: Load): void {
    this.#contents = contents;
    this.#load = load;
    this.#begin();
  }

  get figures(): ReloadFigures {
    const failure = [...this.#failures.values()].at(-1) ?? null;
    return { counts: { ...this.#counts }, milliseconds: this.#milliseconds, failure };
  }

  /** Returns why no reload can begin now, or null. */
  get busy(): string | null {
    if (!this.#load) return loading;
    return this.#isRunning || this.#waiting.size > 0 ? 'A reload is in progress: try again when it has ended' : null;
  }

  /**
   * Reloads after the reload in progress. Callers who arrive during a reload share the next one of the same content. A
   * content that does not load stops no other. Logs failures and rejects with them.
   */
  schedule(cause: ReloadCause, { content, isFinal = true }: ReloadOptions = {}): Promise<ReloadReport> {
    const key = content ?? null;
    const known = this.#waiting.get(key);
    if (known) {
      known.isFinal ||= isFinal;
      return known.report;
    }
    const report = this.#queue.run(() => {
      const { isFinal } = this.#waiting.get(key)!;
      this.#waiting.delete(key);
      return this.#reload(cause, { content, isFinal });
    });
    this.#waiting.set(key, { report, isFinal });
    return report;
  }

  /** Reloads now. Must not be called while `busy`. */
  run(cause: ReloadCause, options: ReloadOptions = {}): Promise<ReloadReport> {
    this.#isRunning = true;
    return this.#queue.run(() => this.#reload(cause, options));
  }

  async #reload(cause: ReloadCause, { content, isFinal = true, changes }: ReloadOptions): Promise<ReloadReport> {
    const started = performance.now();
    this.#isRunning = true;
    const results: Reloaded[] = [];
    const failures = new Map<string, unknown>();
    for (const name of content === undefined ? this.#contents : [content]) {
      try {
        results.push(await this.#load!(name, changes));
        this.#failures.delete(name);
      } catch (error) {
        failures.set(name, error);
      }
    }
    this.#isRunning = false;
    setImmediate(collectGarbage);
    const isNew = results.some((result) => result.isNew);
    const milliseconds = Math.round(performance.now() - started);
    const named = content !== undefined && this.#contents.length > 1 ? { content } : {};
    if (isNew || failures.size === 0) {
      const [{ isNew: _, replayed, ...loaded }] = results;
      if (replayed) this.#logReplay(replayed);
      this.#log.info({ cause, ...named, ...loaded, milliseconds }, isNew ? newContent(loaded) : unchanged);
    }
    if (failures.size > 0) throw this.#fail(cause, { failures, isFinal, milliseconds });
    this.#counts[isNew ? 'replaced' : 'unchanged']++;
    this.#milliseconds = milliseconds;
    return { ...results[0], isNew, milliseconds };
  }

  #logReplay({ taken, left }: ReplayReport): void {
    if (!left) return this.#log.info({ taken }, 'took over the changes of the journal');
    const details = { taken, left: left.count, file: left.file };
    this.#log.warn(details, 'took over changes of the journal. Those that do not fit the snapshot are in the file');
  }

  /** Logs and keeps failures, and returns them as one error. */
  #fail(
    cause: ReloadCause,
    { failures, isFinal, milliseconds }: { failures: Map<string, unknown>; isFinal: boolean; milliseconds: number },
  ): unknown {
    const isNamed = this.#contents.length > 1;
    const error = joinErrors(Array.from(failures, ([name, each]) => (isNamed ? withName(each, name) : each)));
    const reason = messageOf(error);
    if (!isFinal) {
      this.#log.warn({ cause }, `the snapshot does not load, and is tried again: ${reason}`);
      return error;
    }
    const failedAt = new Date().toISOString();
    for (const [name, each] of failures) {
      this.#failures.delete(name);
      this.#failures.set(name, { failedAt, error: messageOf(isNamed ? withName(each, name) : each) });
    }
    this.#counts.failed++;
    this.#milliseconds = milliseconds;
    const of = isNamed ? ` of ${[...failures.keys()].join(' and ')}` : '';
    const details = { cause, milliseconds, ...(isExpected(error) ? {} : { err: error }) };
    this.#log.error(details, `the reload${of} failed, and the old content is still served: ${reason}`);
    return error;
  }
}

const unchanged = 'the content has not changed';

function newContent({ pinned }: Pick<Reloaded, 'pinned'>): string {
  return pinned === undefined ? 'new content is served' : 'new content is loaded, but another version is pinned';
}

function isExpected(error: unknown): error is SnapshotError | ConfigError | RequestError {
  return error instanceof SnapshotError || error instanceof ConfigError || error instanceof RequestError;
}

/** Returns an error that names the content. */
function withName(error: unknown, name: string): unknown {
  if (error instanceof SnapshotError) {
    const problems = error.problems.map((problem) => `${name}: ${problem}`);
    return new SnapshotError(problems, error.count);
  }
  const message = `${name}: ${messageOf(error)}`;
  if (error instanceof RequestError) return new RequestError(error.status, error.name, message, error.details);
  return error instanceof ConfigError ? new ConfigError(message) : new Error(message, { cause: error });
}

/** Returns one error for several. */
function joinErrors(errors: readonly unknown[]): unknown {
  if (errors.length === 1) return errors[0];
  const messages = errors.map(messageOf).join('\n');
  if (!errors.every(isExpected)) return new AggregateError(errors, messages);
  const snapshots = errors.filter((error) => error instanceof SnapshotError);
  if (snapshots.length < errors.length) return new ConfigError(messages);
  const count = snapshots.reduce((total, error) => total + error.count, 0);
  return new SnapshotError(
    snapshots.flatMap(({ problems }) => problems),
    count,
  );
}

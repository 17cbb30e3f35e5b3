import type { Freshness } from '../content/registry/content-source.ts';
import { codecs } from '../http/codec-pool.ts';
import { standardError } from './log/log-writer.ts';
import { Metrics, type Samples } from './metrics/metrics.ts';
import type { RequestTimes } from './metrics/request-times.ts';
import type { ServerState } from './metrics/server-state.ts';
import type { Operations, Readiness, ReportedSource } from './operations.ts';
import type { AnsweringThreads } from './server-role.ts';

/** Why no content is loaded yet, for replies with status 503. */
export const loading = 'The snapshot is being loaded';
const stopping = 'The server is stopping';
const restarting = 'All threads have ended and are being replaced';

/** The state of a server that its operations report. */
export interface ObservedState extends Omit<ServerState, 'isReady' | 'lostLogLines' | 'codecs' | 'threads'> {
  isStopping(): boolean;
  /** Whether only the admin port reports this state. */
  readonly isPrivate: boolean;
}

/** Readiness and metrics of a server and the threads that it coordinates. */
export class OperationsState implements Operations {
  readonly metrics: (() => Promise<string>) | null;
  /** Null if metrics are turned off. */
  readonly collected: Metrics | null;
  readonly #state: ObservedState;
  readonly #threads: AnsweringThreads | null;

  /** `times` is null if metrics are turned off, `threads` if one thread does everything. */
  constructor(state: ObservedState, times: RequestTimes | null, threads: AnsweringThreads | null) {
    this.#state = state;
    this.#threads = threads;
    const collected = times && this.#collect(times);
    this.collected = collected;
    this.metrics = collected && (async () => (threads ? threads.metrics(await collected.samples()) : collected.text()));
  }

  readiness(): Readiness {
    const { failure } = this.#state.reloads();
    // the reason quotes the snapshot, so only the admin port reports it
    const isShortened = failure !== null && !this.#state.isPrivate;
    const reload = isShortened ? { ...failure, error: 'the snapshot does not load: see the log' } : failure;
    const pinned = this.#state
      .contents()
      .flatMap(([content, { versions }]) => (versions.pinned ? [{ content, ...versions.pinned }] : []));
    const sources = this.#state.sources().map(([content, freshness]) => this.#reported(content, freshness));
    return { unready: this.#unready(), reload, journal: this.#journalFailure(), pinned, sources };
  }

  readonly freshness = (content: string): Freshness | null => {
    const freshness = this.#state.sources().find(([name]) => name === content)?.[1] ?? null;
    return freshness && withoutPaths(freshness);
  };

  #reported(content: string, freshness: Freshness): ReportedSource {
    const { source, readAt, lag, error, failuresInARow } = this.#state.isPrivate ? freshness : withoutPaths(freshness);
    const iso = (time: number) => new Date(time).toISOString();
    return {
      content,
      source,
      readAt: readAt === null ? null : iso(readAt),
      ageSeconds: readAt === null ? null : Math.max(0, Math.round((Date.now() - readAt) / 1000)),
      lagSeconds: lag === null ? null : lag / 1000,
      ...(error && { error: { failedAt: iso(error.at), message: error.message } }),
      failuresInARow,
    };
  }

  #journalFailure(): string | null {
    const failure = this.#state.changes().find(([, { journal }]) => journal?.failure)?.[1].journal?.failure ?? null;
    // the reason names a path
    return failure === null || this.#state.isPrivate ? failure : 'the journal has failed: see the log';
  }

  /** Returns the metrics of this thread as data. Empty if metrics are turned off. */
  async samples(): Promise<Samples> {
    return this.collected ? this.collected.samples() : [];
  }

  #unready(): string | null {
    if (this.#state.isStopping()) return stopping;
    if (this.#state.contents().length === 0) return this.#loading();
    return this.#threads?.figures.answering === 0 ? restarting : null;
  }

  #loading(): string {
    const away = this.#state.sources().find(([, { error }]) => error !== null)?.[1];
    if (!away) return loading;
    const { error } = this.#state.isPrivate ? away : withoutPaths(away);
    return `${loading}, but its source cannot be read yet: ${error!.message}`;
  }

  #collect(times: RequestTimes): Metrics {
    const threads = this.#threads;
    const state: ServerState = {
      ...this.#state,
      isReady: () => this.#unready() === null,
      lostLogLines: () => standardError.lostLines,
      codecs: () => codecs.figures,
      threads: threads && (() => threads.figures),
    };
    return new Metrics(state, times);
  }
}

/** Only the admin port reports paths and addresses, and reasons, which quote them. */
function withoutPaths(freshness: Freshness): Freshness {
  const error = freshness.error && { ...freshness.error, message: 'the log says what went wrong' };
  return { ...freshness, source: 'a Strapi', error };
}

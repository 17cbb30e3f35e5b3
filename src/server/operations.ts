import type { RequestHandler } from 'express';
import { Registry } from 'prom-client';
import type { Freshness } from '../content/registry/content-source.ts';
import type { PinnedVersion } from '../content/versions/served-version.ts';
import { sendHealth } from '../http/app.ts';
import { codecs } from '../http/codec-pool.ts';
import { loading, sendError, unavailable } from '../http/error-replies.ts';
import type { MainPort } from './connections/listening.ts';
import { standardError } from './log/log-writer.ts';
import { Metrics, type Samples } from './metrics/metrics.ts';
import type { RequestTimes } from './metrics/request-times.ts';
import type { ServerState, ThreadFigures } from './metrics/server-state.ts';
import type { ReloadFailure } from './reloads.ts';

const metricsType = new Registry().contentType;

/** Whether a process serves content. */
export interface Readiness {
  /** The reason why no content is served, or null if the server is ready. */
  readonly unready: string | null;
  /** Why the last reload failed, or null if it did not. */
  readonly reload: ReloadFailure | null;
  /** Why the journal takes no more changes, or null. */
  readonly journal: string | null;
  /** The contents that serve a pinned version. */
  readonly pinned: readonly (PinnedVersion & { readonly content: string })[];
  /** The contents that follow a source, and how fresh they are. */
  readonly sources: readonly ReportedSource[];
}

/** How fresh a content is, with ages in seconds and times in ISO 8601. */
interface ReportedSource {
  readonly content: string;
  readonly source: string;
  readonly readAt: string | null;
  readonly ageSeconds: number | null;
  readonly lagSeconds: number | null;
  readonly error?: { readonly failedAt: string; readonly message: string };
  readonly failuresInARow: number;
  /** Only for a hot standby: the ages are those of its state. */
  readonly isStandby?: true;
}

/** The state behind the health, readiness and metrics endpoints. */
export interface Operations {
  readiness(): Readiness | Promise<Readiness>;
  /** Returns the freshness of a content without paths and addresses, or null if it follows no source. */
  readonly freshness: (content: string) => Freshness | null | Promise<Freshness | null>;
  /** Returns the metrics in the text format of Prometheus. Null if metrics are turned off. */
  readonly metrics: (() => Promise<string>) | null;
}

/** Returns the handlers of the operational endpoints, by path. */
export function operationHandlers(operations: Operations): Record<string, RequestHandler> {
  const ready: RequestHandler = async (request, response) => {
    const { unready: reason, reload, journal, pinned, sources } = await operations.readiness();
    if (reason !== null) return void sendError(request, response, unavailable(reason));
    response.setHeader('Cache-Control', 'no-store');
    response.json({
      ready: true,
      reload: reload ?? undefined,
      journal: journal ?? undefined,
      pinned: pinned.length > 0 ? pinned : undefined,
      sources: sources.length > 0 ? sources : undefined,
    });
  };
  const { metrics } = operations;
  const handlers: Record<string, RequestHandler> = { '/_health': sendHealth, '/_ready': ready };
  if (metrics) {
    handlers['/_metrics'] = async (_request, response) => {
      const text = await metrics();
      response.setHeader('Content-Type', metricsType);
      response.setHeader('Cache-Control', 'no-store');
      response.end(text);
    };
  }
  return handlers;
}

/** Creates a middleware that dispatches GET and HEAD requests by path. */
export function atPaths(handlers: Record<string, RequestHandler>): RequestHandler {
  const known = new Map(Object.entries(handlers));
  return (request, response, next) => {
    const handler = request.method === 'GET' || request.method === 'HEAD' ? known.get(request.path) : undefined;
    if (handler) return handler(request, response, next);
    next();
  };
}

const stopping = 'The server is stopping';
const restarting = 'All threads have ended and are being replaced';

/** The state of a server that its operations report. */
interface ObservedState extends Omit<ServerState, 'isReady' | 'lostLogLines' | 'codecs' | 'threads'> {
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
    const pinned = this.#state.contents().flatMap(([content, { pinned }]) => (pinned ? [{ content, ...pinned }] : []));
    const sources = this.#state.sources().map(([content, freshness]) => this.#reported(content, freshness));
    return { unready: this.#unready(), reload, journal: this.#journalFailure(), pinned, sources };
  }

  readonly freshness = (content: string): Freshness | null => {
    const freshness = this.#state.sources().find(([name]) => name === content)?.[1] ?? null;
    return freshness && withoutPaths(freshness);
  };

  #reported(content: string, freshness: Freshness): ReportedSource {
    const told = this.#state.isPrivate ? freshness : withoutPaths(freshness);
    const { source, readAt, lag, error, failuresInARow, isStandby } = told;
    const iso = (time: number) => new Date(time).toISOString();
    return {
      content,
      source,
      readAt: readAt === null ? null : iso(readAt),
      ageSeconds: readAt === null ? null : Math.max(0, Math.round((Date.now() - readAt) / 1000)),
      lagSeconds: lag === null ? null : lag / 1000,
      ...(error && { error: { failedAt: iso(error.at), message: error.message } }),
      failuresInARow,
      ...(isStandby && { isStandby }),
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

/** Threads that answer the requests to the main port in place of the server that coordinates them. */
export interface AnsweringThreads extends MainPort {
  readonly figures: ThreadFigures;
  /** Returns the metrics of the process. `own` are those of this thread. */
  metrics(own: Samples): Promise<string>;
}

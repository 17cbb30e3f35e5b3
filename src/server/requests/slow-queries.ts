import type { Logger } from 'pino';
import type { Explanation } from '../../engine/trace.ts';

/** Minimum interval between two logged plans, in milliseconds. Explaining a query costs more than running it. */
const planInterval = 10_000;

/** Maximum length of a logged URL. */
const maxUrlLength = 2000;

export interface SlowQuery {
  /** The id of the request. */
  readonly id: string;
  readonly route: string;
  readonly url: string;
  readonly milliseconds: number;
}

/** Logs slow queries. Adds the plan for a caller with full access if none was logged recently. */
export class SlowQueries {
  readonly #log: Logger;
  readonly #milliseconds: number;
  #lastPlan = Number.NEGATIVE_INFINITY;

  /** `milliseconds` is the threshold; 0 logs no query. */
  constructor(log: Logger, milliseconds: number) {
    this.#log = log;
    this.#milliseconds = milliseconds === 0 ? Number.POSITIVE_INFINITY : milliseconds;
  }

  isSlow(milliseconds: number): boolean {
    return milliseconds >= this.#milliseconds;
  }

  /** Logs a slow query. Calls `explain`, if at all, in a later turn of the event loop. */
  report({ id, route, url, milliseconds }: SlowQuery, explain: () => Explanation): void {
    const now = performance.now();
    const line = { id, route, url: url.slice(0, maxUrlLength), milliseconds: Math.round(milliseconds) };
    if (now - this.#lastPlan < planInterval) return this.#log.warn(line, 'slow query');
    this.#lastPlan = now;
    setImmediate(() => {
      try {
        const { plan, stages } = explain();
        this.#log.warn({ ...line, plan, stages }, 'slow query');
      } catch (error) {
        this.#log.error({ ...line, err: error }, 'slow query without a plan');
      }
    });
  }
}
